import type { SpanFacts } from './span-facts.ts'

/** What begins spans for one service. */
export type Tracing = {
  /** False: nothing is recorded and everything here is next to free. */
  isOn: boolean
  startSpan(name: string, options?: SpanOptions): TraceSpan
  /** Sends what has not been sent, for some seconds at most, and ends. */
  close(): Promise<void>
}

export type SpanOptions = {
  kind?: 'server' | 'client' | 'consumer' | 'internal'
  /** W3C traceparent to continue. Null or not valid: the span begins a trace. Absent: it continues the active span. */
  parent?: string | null | undefined
  /** Traceparents of what it is about besides. */
  links?: readonly string[]
  facts?: SpanFacts
  startedAt?: Date
}

/** A span under way. After `end` nothing of it changes. */
export type TraceSpan = {
  /** For those who continue the trace. Undefined: tracing is off. */
  traceparent: string | undefined
  traceId: string | undefined
  startedAt: Date | undefined
  /** Does the work as part of the span: log lines name the trace. */
  run<Result>(work: () => Result): Result
  note(facts: SpanFacts): void
  linkTo(traceparents: readonly string[]): void
  /** With the class of what went wrong, never its message. */
  end(failure?: string): void
}

const noSpan: TraceSpan = {
  traceparent: undefined,
  traceId: undefined,
  startedAt: undefined,
  run: (work) => work(),
  note: () => {},
  linkTo: () => {},
  end: () => {},
}

/** Traces nothing. */
export const noTracing: Tracing = {
  isOn: false,
  startSpan: () => noSpan,
  close: async () => {},
}

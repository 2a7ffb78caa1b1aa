import type { SpanFacts } from './span-facts.ts'

/** Starts the spans of one service. */
export type Tracing = {
  /** False if nothing is recorded; then every call is nearly free. */
  isOn: boolean
  startSpan(name: string, options?: SpanOptions): TraceSpan
  /** Sends the remaining spans, for at most 3 seconds, and closes. */
  close(): Promise<void>
}

export type SpanOptions = {
  kind?: 'server' | 'client' | 'consumer' | 'internal'
  /** W3C traceparent to continue. Null or invalid: the span begins a trace. Absent: it continues the active span. */
  parent?: string | null | undefined
  /** Traceparents of other traces that the span concerns. */
  links?: readonly string[]
  facts?: SpanFacts
  startedAt?: Date
}

/** A span under way. Calls after `end` have no effect. */
export type TraceSpan = {
  /** Pass it on to continue the trace. Undefined if tracing is off. */
  traceparent: string | undefined
  traceId: string | undefined
  startedAt: Date | undefined
  /** Runs the work within the span, so that its log lines name the trace. */
  run<Result>(work: () => Result): Result
  note(facts: SpanFacts): void
  linkTo(traceparents: readonly string[]): void
  /** Ends the span. `failure` is the class of an error, never its message. */
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

/** Tracing that records nothing. */
export const noTracing: Tracing = {
  isOn: false,
  startSpan: () => noSpan,
  close: async () => {},
}

import type { SpanFacts } from './span-facts.ts'
import type { TraceSpan, Tracing } from './tracing.ts'

/** How many traces one call is added to. A call may concern 100,000 letters. */
export const tracesContinuedMax = 64

type Continued = {
  /** W3C traceparent of the trace to continue. */
  traceContext: string
  facts: SpanFacts
}

/**
 * Adds a call that concerns many traces to the first of them. Each gets a span as long as the call so far, with a link
 * to the call; the call gets links to the traces.
 */
export function continueTraces(
  tracing: Tracing,
  call: TraceSpan,
  name: string,
  continued: readonly Continued[],
): void {
  const { traceparent, startedAt } = call
  if (traceparent === undefined) return
  const some = continued.slice(0, tracesContinuedMax)
  for (const { traceContext, facts } of some) {
    const span = tracing.startSpan(name, {
      parent: traceContext,
      links: [traceparent],
      facts,
      ...(startedAt && { startedAt }),
    })
    span.end()
  }
  call.linkTo(some.map(({ traceContext }) => traceContext))
}

import type { SpanFacts } from './span-facts.ts'
import type { TraceSpan, Tracing } from './tracing.ts'

/** How many traces one call is put into: a call may be about a hundred thousand letters. */
export const tracesContinuedMax = 64

export type Continued = {
  /** W3C traceparent of what is continued. */
  traceContext: string
  facts: SpanFacts
}

/**
 * Puts a call that is about many into the traces of the first of them: in each, a span as long as the call so far, with
 * a link to the call; and in the call, links to them.
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

import { context, trace } from '@opentelemetry/api'

/** The trace of the span that this code runs in, if it runs in one. */
export function activeTraceId(): string | undefined {
  return trace.getSpan(context.active())?.spanContext().traceId
}

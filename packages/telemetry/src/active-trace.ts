import { context, trace } from '@opentelemetry/api'

/** Returns the trace id of the active span, or undefined. */
export function activeTraceId(): string | undefined {
  return trace.getSpan(context.active())?.spanContext().traceId
}

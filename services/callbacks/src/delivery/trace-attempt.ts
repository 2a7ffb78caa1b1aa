import type { TakenCallback } from '@despatch/store/callback/lease'
import type { CallbackAttempt } from '@despatch/store/callback/record'
import type { TraceSpan, Tracing } from '@despatch/telemetry/tracing'

/** Starts the span of one attempt in the trace of the print job. The span does not reveal where the callback goes. */
export function startAttemptSpan(
  tracing: Tracing,
  { id, printJobKey, sequence, attempts, traceContext }: TakenCallback,
): TraceSpan {
  return tracing.startSpan('callback.attempt', {
    kind: 'client',
    parent: traceContext,
    facts: {
      'http.request.method': 'POST',
      'despatch.callback.id': id,
      'despatch.callback.sequence': sequence,
      'despatch.callback.attempt': attempts + 1,
      ...(printJobKey !== null && { 'despatch.print_job.key': printJobKey }),
    },
  })
}

/** Ends the span. Without `made`, no call was made. `next` is the next step. */
export function endAttemptSpan(
  span: TraceSpan,
  { made, next }: { made: CallbackAttempt | undefined; next: string },
): void {
  const outcome = made?.outcome ?? 'postponed'
  span.note({
    'despatch.outcome': outcome,
    'despatch.next': next,
    ...(made?.httpStatus !== undefined && { 'http.response.status_code': made.httpStatus }),
  })
  span.end(outcome === 'delivered' ? undefined : outcome)
}

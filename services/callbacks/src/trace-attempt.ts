import type { CallbackAttempt } from '@despatch/store/callback/record'
import type { TakenCallback } from '@despatch/store/callback/take'
import type { TraceSpan, Tracing } from '@despatch/telemetry/tracing'

/** Begins the span of one attempt, in the trace of the print job. It tells nothing of where the callback goes. */
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

/** Without `made`, no call was made. `next` is what follows. */
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

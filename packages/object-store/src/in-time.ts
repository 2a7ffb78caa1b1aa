import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'

/**
 * Makes one call, retries included. Throws DependencyUnavailable if there is no answer within `msMax` milliseconds. The
 * signal that the call gets aborts then, or when `signal` does. Rejects at that moment, even if the call waits for a
 * connection and does not notice. The limit does not include reading a body.
 */
export async function inTime<Answer>(
  msMax: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const limit = new AbortController()
  const timer = setTimeout(() => {
    const cause = new DOMException(
      `The object store did not respond within ${msMax} ms`,
      'TimeoutError',
    )
    limit.abort(new DependencyUnavailable('object-store', { cause }))
  }, msMax)
  const either = AbortSignal.any(signal ? [limit.signal, signal] : [limit.signal])
  const aborted = Promise.withResolvers<never>()
  const reject = () => aborted.reject(either.reason)
  either.addEventListener('abort', reject, { once: true })
  if (either.aborted) reject()
  try {
    return await Promise.race([aborted.promise, call(either)])
  } finally {
    clearTimeout(timer)
    either.removeEventListener('abort', reject)
  }
}

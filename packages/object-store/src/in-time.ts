import type { Readable } from 'node:stream'
import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import { asOutage } from './outage.ts'

function tooLate(what: string, ms: number): DependencyUnavailable {
  const cause = new DOMException(`The object store ${what} within ${ms} ms`, 'TimeoutError')
  return new DependencyUnavailable('object-store', { cause })
}

/**
 * Makes one call, retries included. Throws DependencyUnavailable if there is no answer within `msMax` milliseconds. The
 * signal that the call gets aborts then, or when `signal` does. The limit does not include reading a body: see
 * `withoutStall`.
 */
export async function inTime<Answer>(
  msMax: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const limit = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = tooLate('did not respond', msMax)
    late.reject(error)
    limit.abort(error)
  }, msMax)
  const signals = signal ? [limit.signal, signal] : [limit.signal]
  try {
    return await Promise.race([call(AbortSignal.any(signals)), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Reads a body. Throws if the next bytes take longer than `stallMsMax` milliseconds to arrive, and
 * DependencyUnavailable if the body breaks off. The reader itself may take any time.
 */
export async function* withoutStall(body: Readable, stallMsMax: number): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]()
  try {
    for (;;) {
      const timer = setTimeout(() => body.destroy(tooLate('sent no data', stallMsMax)), stallMsMax)
      const next = await chunks.next().finally(() => clearTimeout(timer))
      if (next.done) return
      yield next.value
    }
  } catch (error) {
    throw asOutage(error)
  } finally {
    body.destroy()
  }
}

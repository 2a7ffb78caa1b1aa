import type { ServerResponse } from 'node:http'
import { type Semaphore, SemaphoreFull } from '@despatch/composer/semaphore'
import { ThreadStarved } from '@despatch/composer/task-limits'
import { Problem } from '@despatch/domain/problem'

export type WorkLimits = {
  /** Shares out among consumers how many letters are in memory, checked and drawn at the same time. */
  semaphore: Semaphore
  /** How long a caller waits for its result, in milliseconds, including the wait for a slot. */
  timeoutMs?: number
  /** Limits the processor time of a consumer. */
  budget?: {
    /** Returns how long a consumer that has used its time must wait, in seconds. */
    waitSeconds(consumerId: string): Promise<number | undefined>
  }
}

/** A request whose caller waits for the result. */
export type WaitingCaller = {
  consumerId: string
  /** The response under construction. */
  reply: { header(name: string, value: string): unknown; raw: ServerResponse }
}

const retryAfterSeconds = 2

const drawn = { subject: 'print job', done: 'validated or drawn' }
const names = {
  'dry-run': drawn,
  proof: drawn,
  'address-override': drawn,
  list: { subject: 'print job', done: 'listed' },
  template: { subject: 'template', done: 'checked or drawn' },
} as const

/**
 * Does work that takes a thread, or long in the database. The work is aborted once the caller disconnects or the time
 * is over; it must end soon after its signal aborts. A read of the database ends by itself. Throws a Problem and sets
 * Retry-After if the time is over, if too much work of this consumer waits, or if the consumer has used its processor
 * time.
 */
export async function withinLimit<Result>(
  { semaphore, timeoutMs, budget }: WorkLimits,
  { consumerId, reply }: WaitingCaller,
  work: keyof typeof names,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const waitSeconds = await budget?.waitSeconds(consumerId)
  if (waitSeconds !== undefined) {
    reply.header('retry-after', String(waitSeconds))
    throw new Problem('too-many-requests', timeUsed)
  }
  const { subject, done } = names[work]
  const { raw } = reply
  const leaving = new AbortController()
  const leave = () => leaving.abort(new CallerLeft('The caller disconnected'))
  raw.once('close', leave)
  if (raw.closed) leave()
  const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([leaving.signal, ...(timeout ? [timeout] : [])])
  try {
    return await semaphore.use({ consumerId, work, signal }, run)
  } catch (error) {
    const whyNot = whyUnavailable(error)
    if (whyNot === undefined) throw error
    reply.header('retry-after', String(retryAfterSeconds))
    throw new Problem('unavailable', whyNot)
  } finally {
    raw.off('close', leave)
  }

  function whyUnavailable(error: unknown): string | undefined {
    if (error instanceof SemaphoreFull || error instanceof ThreadStarved) {
      return `Too many ${subject}s are being ${done} at present`
    }
    // Nobody reads this.
    if (error instanceof CallerLeft) return error.message
    if (timeout?.aborted && error === timeout.reason) {
      return `The ${work === 'list' ? `${subject}s` : subject} could not be ${done} within ${timeoutMs! / 1000} seconds`
    }
    return undefined
  }
}

const timeUsed =
  'Too many requests: the checks of your files have taken all their processor time of this hour (UTC)'

class CallerLeft extends Error {
  override readonly name = 'CallerLeft'
}

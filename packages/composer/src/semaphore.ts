import { AsyncLocalStorage } from 'node:async_hooks'
import { createFairQueue } from '@despatch/domain/work/fair-queue'

/** For whom and for what a slot is used. */
type SlotRequest = {
  /** Slots are shared out fairly by this id. */
  consumerId: string
  /** What the work is, for the metrics: one of a few words. */
  work: string
  /** Ends the wait, or the work. */
  signal?: AbortSignal | undefined
}

/** A semaphore that shares its slots fairly among consumers. */
export type Semaphore = {
  /**
   * Runs the work once a slot is free. Rejects with SemaphoreFull if too much work of this consumer already waits, and
   * with the signal's reason as soon as it aborts. The work must end soon after its own signal aborts: it keeps its
   * slot until then. Work that is set aside in favour of another consumer is aborted too, and runs again later, so it
   * must be repeatable.
   */
  use<Result>(request: SlotRequest, run: (signal: AbortSignal) => Promise<Result>): Promise<Result>
}

/** Thrown if more work of a consumer waits than allowed. */
export class SemaphoreFull extends Error {
  override readonly name = 'SemaphoreFull'
}

/** Why work is aborted that will run again. */
class SetAside extends Error {
  override readonly name = 'SetAside'
}

/** How a wait ended: the work started, there was no room to wait, or the caller left. */
type WaitOutcome = 'started' | 'full' | 'left'

export type SemaphoreOptions = {
  permits: number
  /** How much work of one consumer may wait. */
  waitingMax?: number
  /** Work that runs for longer than this may be set aside, in milliseconds. Infinity: never. */
  sliceMs?: number
  /** The last free slot goes only to a consumer that has no other, so that a new consumer does not wait. */
  reservesLast?: boolean
  onWaited?: (wait: { work: string; outcome: WaitOutcome; ms: number }) => void
  /** Monotonic time in milliseconds. */
  now?: () => number
}

type Entry = SlotRequest & { start: () => void; setAside: () => void }

const sliceMsDefault = 1_000

export function createSemaphore({
  permits,
  waitingMax = Number.POSITIVE_INFINITY,
  sliceMs = sliceMsDefault,
  reservesLast = false,
  onWaited = () => {},
  now = () => performance.now(),
}: SemaphoreOptions): Semaphore {
  const queue = createFairQueue<Entry>({ permits, sliceMs, reservesLast })
  let timer: NodeJS.Timeout | undefined

  function advance(): void {
    clearTimeout(timer)
    for (;;) {
      const choice = queue.next(now())
      if (choice.kind === 'start') choice.work.start()
      else if (choice.kind === 'set-aside') choice.work.setAside()
      else {
        if (choice.untilMs !== undefined) {
          timer = setTimeout(advance, Math.max(choice.untilMs - now(), 1))
          timer.unref()
        }
        return
      }
    }
  }

  function use<Result>(
    request: SlotRequest,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { work, signal } = request
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    // Other work that frees the slot starts this work, which must still run in the context of its own caller.
    const inContext = AsyncLocalStorage.snapshot()
    let waitsSinceMs = now()
    let aside = new AbortController()
    const waited = (outcome: WaitOutcome) => onWaited({ work, outcome, ms: now() - waitsSinceMs })

    async function runOnce(): Promise<void> {
      const signals = [aside.signal, ...(signal ? [signal] : [])]
      try {
        resolve(await run(AbortSignal.any(signals)))
      } catch (error) {
        if (aside.signal.aborted && !signal?.aborted) {
          aside = new AbortController()
          waitsSinceMs = now()
          return queue.putBack(entry, now())
        }
        reject(error)
      }
      signal?.removeEventListener('abort', leave)
      queue.end(entry, now())
    }

    function leave(): void {
      reject(signal!.reason)
      if (!queue.isWaiting(entry)) return
      waited('left')
      queue.end(entry, now())
      advance()
    }

    const entry: Entry = {
      ...request,
      start: () => {
        waited('started')
        void inContext(() => runOnce()).finally(advance)
      },
      setAside: () => aside.abort(new SetAside('Another consumer waits')),
    }
    if (signal?.aborted) return Promise.reject(signal.reason)
    signal?.addEventListener('abort', leave, { once: true })
    queue.add(entry, now())
    advance()
    if (queue.isWaiting(entry) && queue.countWaiting(entry.consumerId) > waitingMax) {
      waited('full')
      signal?.removeEventListener('abort', leave)
      queue.end(entry, now())
      reject(new SemaphoreFull('Too much work of this consumer is waiting'))
    }
    return promise
  }

  return { use }
}

/**
 * Waits for a slot and keeps it until the returned function is called. Rejects as `use` does. Only for a semaphore
 * without slices, since this work cannot be set aside.
 */
export function enter(semaphore: Semaphore, request: SlotRequest): Promise<() => void> {
  return new Promise((resolve, reject) => {
    semaphore.use(request, () => new Promise<void>((leave) => resolve(leave))).catch(reject)
  })
}

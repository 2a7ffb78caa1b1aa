import type { HealthCheck } from '@despatch/http/health'
import type { Queues } from '@despatch/queue/queues'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import { wakeOverdueCallbacks } from '@despatch/store/callback/callbacks'
import type { Db } from '@despatch/store/database'

const callbacksMax = 500
/** With this many tasks waiting nothing is lost, there is only much to do: more of them would not help. */
const waitingMax = 1_000
const lateSeconds = 10
const passesMissedMax = 10
const passAgeMsMin = 30_000

export type SweepOptions = {
  db: Db
  queues: Pick<Queues, 'counts'>
  everyMs: number
  onError: (error: Error) => void
}

/**
 * Wakes callbacks that are overdue because their wake-up was lost or their worker died, so that losing the queue
 * loses nothing.
 */
export function startSweep({ db, queues, everyMs, onError }: SweepOptions): Repeated {
  return repeat({
    everyMs,
    onError,
    pass: async () => {
      const waiting = (await queues.counts()).find(({ name }) => name === 'callback')?.waiting ?? 0
      if (waiting < waitingMax) await wakeOverdueCallbacks(db, { lateSeconds, callbacksMax })
      return 'idle'
    },
  })
}

/** A consumer that says it runs may be stuck: what counts is when a pass last ended well. */
export function checkSweep(
  sweep: Pick<Repeated, 'lastPassAt'>,
  everyMs: number,
  now: Date,
): HealthCheck {
  const name = 'sweep'
  const ageMs = now.getTime() - sweep.lastPassAt().getTime()
  if (ageMs <= Math.max(everyMs * passesMissedMax, passAgeMsMin)) return { name, ok: true }
  return { name, ok: false, reason: `no good pass for ${Math.round(ageMs / 1000)} s` }
}

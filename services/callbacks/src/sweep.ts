import type { Queues } from '@despatch/queue/queues'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import { wakeOverdueCallbacks } from '@despatch/store/callbacks'
import type { Db } from '@despatch/store/database'

const callbacksMax = 500
/** With this many tasks waiting nothing is lost, there is only much to do: more of them would not help. */
const waitingMax = 1_000
const lateSeconds = 10

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

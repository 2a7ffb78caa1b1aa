import { type Queues, queueNames } from '@despatch/queue/queues'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import type { Db } from '@despatch/store/database'
import { relayOutbox } from '@despatch/store/outbox'

const tasksMax = 500

type RelayOptions = {
  db: Db
  queues: Queues
  /** The longest pause between two passes. A commit in this process starts a pass at once. */
  everyMs: number
  onError: (error: Error) => void
}

/** Publishes committed wake-ups from the outbox to the queues, in bulk. */
export function startRelay({ db, queues, everyMs, onError }: RelayOptions): Repeated {
  return repeat({
    name: 'relay',
    everyMs,
    onError,
    pass: async () => {
      const { isMore } = await relayOutbox(db, {
        queues: queueNames,
        tasksMax,
        publish: (queue, tasks) => queues.enqueue(queue, tasks),
      })
      return isMore ? 'again' : 'idle'
    },
  })
}

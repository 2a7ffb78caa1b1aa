import { type QueueName, type Queues, queueNames, type Task } from '@despatch/queue/queues'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import type { Db } from '@despatch/store/database'
import { type OutboxTask, relayOutbox } from '@despatch/store/outbox'

const tasksMax = 500

export type RelayOptions = {
  db: Db
  queues: Queues
  /** The backstop; commits in this process nudge the relay at once. */
  everyMs: number
  onError: (error: Error) => void
}

/** Carries committed wake-ups from the outbox to the queues, in bulk. */
export function startRelay({ db, queues, everyMs, onError }: RelayOptions): Repeated {
  return repeat({
    everyMs,
    onError,
    pass: async () => {
      const count = await relayOutbox(db, tasksMax, (tasks) => publish(queues, tasks))
      return count === tasksMax ? 'again' : 'idle'
    },
  })
}

async function publish(queues: Queues, tasks: readonly OutboxTask[]): Promise<void> {
  for (const [queue, ofQueue] of Map.groupBy(tasks, ({ queue }) => queue)) {
    await queues.enqueue(knownQueue(queue), ofQueue satisfies readonly Task[])
  }
}

function knownQueue(name: string): QueueName {
  const known = queueNames.find((queue) => queue === name)
  if (!known) throw new Error(`The outbox names a queue that does not exist: ${name}`)
  return known
}

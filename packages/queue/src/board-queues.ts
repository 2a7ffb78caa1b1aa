import type { Queue } from 'bullmq'
import { type BackendOptions, openBackend } from './backend.ts'
import { type ManagedQueue, queueNames, type Task } from './queues.ts'
import { readManaged } from './read-state.ts'

/** The queues as the queue board shows them. Only the board uses BullMQ's own objects. */
export type BoardQueues = {
  queues: readonly Queue<Task>[]
  list(): Promise<ManagedQueue[]>
  close(): Promise<void>
}

/** Opens the queues for the queue board. */
export function openBoardQueues(options: BackendOptions): BoardQueues {
  const backend = openBackend(options)
  const queues = queueNames.map((name) => backend.queue(name))
  for (const queue of queues) queue.on('error', options.onError)
  return {
    queues,
    list: () => Promise.all(queueNames.map((name, index) => readManaged(name, queues[index]!))),
    close: async () => {
      await Promise.all(queues.map((queue) => queue.close()))
      await backend.close()
    },
  }
}

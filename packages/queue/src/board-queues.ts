import type { Queue } from 'bullmq'
import { type BackendOptions, openBackend } from './backend.ts'
import { queueNames, type Task } from './queues.ts'

/** Opens the queues for the queue board. Only the board uses BullMQ's own objects. */
export function openBoardQueues(options: BackendOptions): {
  queues: Queue<Task>[]
  close(): Promise<void>
} {
  const backend = openBackend(options)
  const queues = queueNames.map((name) => backend.queue(name))
  for (const queue of queues) queue.on('error', options.onError)
  return {
    queues,
    close: async () => {
      await Promise.all(queues.map((queue) => queue.close()))
      await backend.close()
    },
  }
}

import type { Queue } from 'bullmq'
import { countTasks } from './count-tasks.ts'
import type { QueueName, QueueState, Task } from './queues.ts'

/** Reads how a queue stands. */
export async function readState(name: QueueName, queue: Queue<Task>): Promise<QueueState> {
  const [{ waiting, active, delayed, failed }, isPaused] = await Promise.all([
    countTasks(name, queue),
    queue.isPaused(),
  ])
  return { name, isPaused, waiting, active, delayed, failed }
}

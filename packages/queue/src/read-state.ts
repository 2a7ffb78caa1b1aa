import type { Queue } from 'bullmq'
import { countTasks } from './count-tasks.ts'
import type { ManagedQueue, QueueName, QueueState, Task } from './queues.ts'

/** Returns the counts of a queue and whether it is paused. */
export async function readState(name: QueueName, queue: Queue<Task>): Promise<QueueState> {
  const [{ waiting, active, delayed, failed }, isPaused] = await Promise.all([
    countTasks(name, queue),
    queue.isPaused(),
  ])
  return { name, isPaused, waiting, active, delayed, failed }
}

/** Returns the same with the number of processes that take tasks from it. */
export async function readManaged(name: QueueName, queue: Queue<Task>): Promise<ManagedQueue> {
  const [state, workers] = await Promise.all([
    readState(name, queue),
    // Some carriers do not allow the query.
    queue.getWorkersCount().catch(() => null),
  ])
  return { ...state, workers }
}

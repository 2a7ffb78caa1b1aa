import type { Queue } from 'bullmq'
import { countTasks } from './count-tasks.ts'
import type { ManagedQueue, QueueName, QueueState, Task } from './queues.ts'

/** Reads how a queue stands. */
export async function readState(name: QueueName, queue: Queue<Task>): Promise<QueueState> {
  const [{ waiting, active, delayed, failed }, isPaused] = await Promise.all([
    countTasks(name, queue),
    queue.isPaused(),
  ])
  return { name, isPaused, waiting, active, delayed, failed }
}

/** The same with how many processes take from it. */
export async function readManaged(name: QueueName, queue: Queue<Task>): Promise<ManagedQueue> {
  const [state, workers] = await Promise.all([
    readState(name, queue),
    // some carriers let nobody ask
    queue.getWorkersCount().catch(() => null),
  ])
  return { ...state, workers }
}

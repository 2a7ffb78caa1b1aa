import type { JobType, Queue } from 'bullmq'
import type { ManagedQueue, QueueCounts, QueueName, QueueState, Task } from './queues.ts'

/** On PostgreSQL, BullMQ counts the waiting tasks of a paused queue under this name, which its types omit. */
const waitingWhilePaused = 'paused' as JobType

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

/** Returns the number of tasks of a queue by state. */
async function countTasks(name: QueueName, queue: Queue<Task>): Promise<QueueCounts> {
  const counts: Record<string, number> = await queue.getJobCounts(
    'waiting',
    'prioritized',
    waitingWhilePaused,
    'active',
    'delayed',
    'failed',
  )
  return {
    name,
    waiting: (counts.waiting ?? 0) + (counts.prioritized ?? 0) + (counts[waitingWhilePaused] ?? 0),
    active: counts.active ?? 0,
    delayed: counts.delayed ?? 0,
    failed: counts.failed ?? 0,
  }
}

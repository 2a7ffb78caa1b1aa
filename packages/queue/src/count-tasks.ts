import type { JobType, Queue } from 'bullmq'
import type { QueueCounts, QueueName, Task } from './queues.ts'

/** On PostgreSQL, what waits in a paused queue is counted under a name of its own, which the types leave out. */
const waitingWhilePaused = 'paused' as JobType

/** Counts the tasks of a queue by what is to become of them. */
export async function countTasks(name: QueueName, queue: Queue<Task>): Promise<QueueCounts> {
  const counts: Record<string, number> = await queue.getJobCounts(
    'waiting',
    waitingWhilePaused,
    'active',
    'delayed',
    'failed',
  )
  return {
    name,
    waiting: (counts.waiting ?? 0) + (counts[waitingWhilePaused] ?? 0),
    active: counts.active ?? 0,
    delayed: counts.delayed ?? 0,
    failed: counts.failed ?? 0,
  }
}

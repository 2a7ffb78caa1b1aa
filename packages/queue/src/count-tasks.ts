import type { JobType, Queue } from 'bullmq'
import type { QueueCounts, QueueName, Task } from './queues.ts'

/** On PostgreSQL, BullMQ counts the waiting tasks of a paused queue under this name, which its types omit. */
const waitingWhilePaused = 'paused' as JobType

/** Returns the number of tasks of a queue by state. */
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

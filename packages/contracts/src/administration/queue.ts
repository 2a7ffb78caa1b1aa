import { workQueues } from '@despatch/domain/work/lane'
import { z } from 'zod'
import { ifKnown, storedTime } from '../stored.ts'
import { reason } from './print-run.ts'

const queue = z.enum(workQueues)
const count = z.number().meta({ type: 'integer', minimum: 0 })

export const ofQueue = z.object({ queue: queue.describe('Name of the queue') })

export const queueSchema = z.object({
  queue,
  isPaused: z.boolean().describe('True if no tasks are taken until the queue is resumed'),
  waiting: count,
  active: count,
  delayed: count,
  failed: count.describe(
    'Number of tasks that ended with a fault of ours. They are kept for a week',
  ),
  workers: ifKnown(count).describe(
    'Number of processes that take from the queue. Absent if the queue backend does not report it',
  ),
  pausedAt: ifKnown(storedTime).describe('When the queue was paused. Present while it is paused'),
  pausedBy: ifKnown(z.string()).describe('Who paused the queue. Present while it is paused'),
  pausedByUserName: ifKnown(z.string()).describe('User name, if a user paused the queue'),
  pausedReason: ifKnown(z.string()).describe('Present while it is paused, if one was given'),
})
export type QueueResponse = z.output<typeof queueSchema>

export const pauseQueueSchema = z.object({ reason: reason.exactOptional() }).nullish()

export const queuesSchema = z.object({ queues: z.array(queueSchema) })
export type QueuesResponse = z.output<typeof queuesSchema>

export const drainedQueueSchema = queueSchema.extend({
  removed: count.describe('Number of tasks that were removed'),
})
export type DrainedQueueResponse = z.output<typeof drainedQueueSchema>

export const redrivenQueueSchema = queueSchema.extend({
  triedAgain: count.describe('Number of failed tasks that wait again'),
  woken: count.describe('Number of print jobs that wait again because their worker died'),
})
export type RedrivenQueueResponse = z.output<typeof redrivenQueueSchema>

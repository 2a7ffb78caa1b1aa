import { z } from 'zod'
import { withoutNulls } from './print-run.ts'

const queue = z.enum(['quarantine', 'validate', 'callback'])
const count = z.number().meta({ type: 'integer', minimum: 0 })

export const ofQueue = z.object({ queue: queue.describe('The name of the queue') })

export const queueSchema = z.object({
  queue,
  isPaused: z.boolean().describe('Nothing is taken from it until it is resumed'),
  waiting: count,
  active: count,
  delayed: count,
  failed: count.describe('Tasks that ended with a fault of ours; kept for a week'),
  workers: count
    .optional()
    .describe('Processes that take from it; absent where the carrier does not tell'),
  pausedAt: z.iso.datetime().optional().describe('When it was paused, while it is'),
  pausedBy: z.string().optional().describe('Who paused it, while it is paused'),
  pausedByUserName: z.string().optional().describe('When it was a user'),
})
export type QueueResponse = z.output<typeof queueSchema>

export const queuesSchema = z.object({ queues: z.array(queueSchema) })
export type QueuesResponse = z.output<typeof queuesSchema>

export const drainedQueueSchema = queueSchema.extend({
  removed: count.describe('Wake-ups that were removed'),
})
export type DrainedQueueResponse = z.output<typeof drainedQueueSchema>

export const redrivenQueueSchema = queueSchema.extend({
  triedAgain: count.describe('Failed tasks that wait again'),
  woken: count.describe('Print jobs whose step was overdue and that are woken; at most 500'),
})
export type RedrivenQueueResponse = z.output<typeof redrivenQueueSchema>

/** The state of a queue as its carrier reports it. */
export type StateOfQueue = {
  name: QueueResponse['queue']
  isPaused: boolean
  waiting: number
  active: number
  delayed: number
  failed: number
  workers: number | null
}

/** When a queue was paused and by whom, according to the audit. */
export type PauseOfQueue = { at: Date; by: string; byUserName: string | null }

export function renderQueue(
  { name, ...state }: StateOfQueue,
  pause: PauseOfQueue | undefined,
): QueueResponse {
  const { at: pausedAt, by: pausedBy, byUserName: pausedByUserName } = pause ?? {}
  return queueSchema.parse(
    withoutNulls({ queue: name, ...state, pausedAt, pausedBy, pausedByUserName }),
  )
}

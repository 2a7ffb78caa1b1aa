import type { Job, Queue } from 'bullmq'
import { type BackendOptions, openBackend } from './backend.ts'
import { type ManagedQueue, type QueueName, queueNames, type Task } from './queues.ts'
import { readManaged } from './read-state.ts'

/** The queues with what is in them, for those who watch. */
export type ListedQueues = {
  /** BullMQ's own objects, with which tests look at single tasks and cause faults. */
  queues: readonly Queue<Task>[]
  list(): Promise<ManagedQueue[]>
  /** Lists batches of letters: those in progress, those that wait and the newest that ended. */
  listBatches(batchesMax: number): Promise<ListedBatch[]>
  /** Lists the newest failed tasks of all queues, newest first. */
  listFailed(tasksMax: number): Promise<FailedTask[]>
  close(): Promise<void>
}

/** A batch of letters as its queue knows it. */
export type ListedBatch = {
  batchId: string
  queue: QueueName
  lane: string
  /** Null if its letters are of several consumers. */
  consumerId: string | null
  letters: number
  state: 'waiting' | 'active' | 'ended' | 'failed'
  /** While it is active: how many of its letters have ended, as `41 of 100`. */
  progress: string | null
  /** What became of its letters, as `98 advanced, 2 rejected`. */
  result: string | null
  /** How long a worker had it, in milliseconds. Null until it has ended. */
  tookMs: number | null
  /** When it ended, started or was offered. */
  at: Date
}

/** A task that ended with a fault of ours. It is kept for a week. */
export type FailedTask = {
  queue: QueueName
  /** The id of the batch or of the callback. */
  subject: string
  /** How often it was begun. */
  attempts: number
  /** The beginning of the message of the error. */
  reason: string
  at: Date
}

/** A message may contain whatever the library that failed puts there. Its beginning tells which one failed. */
const reasonCharactersMax = 200

/** Opens the queues for those who watch them. */
export function openListedQueues(options: BackendOptions): ListedQueues {
  const backend = openBackend(options)
  const queues = queueNames.map((name) => backend.queue(name))
  for (const queue of queues) queue.on('error', options.onError)
  return {
    queues,
    list: () => Promise.all(queueNames.map((name, index) => readManaged(name, queues[index]!))),
    listBatches: async (batchesMax) => {
      const ofQueue = queueNames.map(async (name, index) => {
        const jobs = await queues[index]!.getJobs(
          ['active', 'prioritized', 'completed', 'failed'],
          0,
          batchesMax - 1,
        )
        return jobs.filter((job) => job !== undefined).map((job) => toListedBatch(name, job))
      })
      return (await Promise.all(ofQueue)).flat().sort(byState).slice(0, batchesMax)
    },
    listFailed: async (tasksMax) => {
      const ofQueue = queueNames.map(async (name, index) => {
        const jobs = await queues[index]!.getFailed(0, tasksMax - 1)
        return jobs.filter((job) => job !== undefined).map((job) => toFailedTask(name, job))
      })
      return (await Promise.all(ofQueue))
        .flat()
        .sort((a, b) => b.at.getTime() - a.at.getTime())
        .slice(0, tasksMax)
    },
    close: async () => {
      await Promise.all(queues.map((queue) => queue.close()))
      await backend.close()
    },
  }
}

function toListedBatch(queue: QueueName, job: Job<Task>): ListedBatch {
  const { subject, lane = '', consumer = null, size = 0 } = job.data
  const state = stateOf(job)
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    batchId: subject,
    queue,
    lane,
    consumerId: consumer,
    letters: size,
    state,
    progress: state === 'active' ? textOf(job.progress) : null,
    result: state === 'ended' ? textOf(job.returnvalue) : null,
    tookMs: tookMsOf(job),
    at: new Date(job.finishedOn ?? job.processedOn ?? job.timestamp),
  }
}

function tookMsOf({ finishedOn, processedOn }: Job<Task>): number | null {
  return finishedOn === undefined || processedOn === undefined ? null : finishedOn - processedOn
}

function toFailedTask(queue: QueueName, job: Job<Task>): FailedTask {
  return {
    queue,
    subject: job.data.subject,
    attempts: job.attemptsStarted,
    reason: (job.failedReason ?? '').slice(0, reasonCharactersMax),
    at: new Date(job.finishedOn ?? job.timestamp),
  }
}

function stateOf({ finishedOn, processedOn, failedReason }: Job<Task>): ListedBatch['state'] {
  if (finishedOn !== undefined) return failedReason === undefined ? 'ended' : 'failed'
  return processedOn === undefined ? 'waiting' : 'active'
}

/** What is in progress first, then what waits, then the newest that ended. */
function byState(a: ListedBatch, b: ListedBatch): number {
  const rankOf = ({ state }: ListedBatch) => ['active', 'waiting'].indexOf(state) >>> 0
  return rankOf(a) - rankOf(b) || b.at.getTime() - a.at.getTime()
}

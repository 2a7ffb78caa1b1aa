import { type Backend, type BackendOptions, openBackend } from './backend.ts'
import {
  type ConsumeOptions,
  type Consumer,
  type QueueName,
  type Queues,
  queueNames,
  type Task,
  type TaskHandler,
} from './queues.ts'
import { readState } from './read-state.ts'

/** How long a worker holds a task without renewing, and how often dead workers' tasks are looked for. */
export type QueueTimings = { lockDurationMs: number; stalledIntervalMs: number }

const defaultTimings: QueueTimings = { lockDurationMs: 15_000, stalledIntervalMs: 5_000 }
/** A worker that dies several times in a row must not fail the task: the database counts starts itself. */
const stalledCountMax = 5
const keepFailed = { age: 7 * 24 * 3600, count: 5000 }

/** Opens all queues on Redis or PostgreSQL, by the address. Connections are made as they are needed. */
export function openQueues(options: BackendOptions & { timings?: QueueTimings }): Queues {
  const backend = openBackend(options)
  const queues = new Map(queueNames.map((name) => [name, backend.queue(name)]))
  for (const queue of queues.values()) queue.on('error', options.onError)
  const queueOf = (name: QueueName) => queues.get(name)!
  return {
    enqueue: async (name, tasks) => {
      await queueOf(name).addBulk(tasks.map((task) => toBullTask(name, task)))
    },
    consume: (name, handler, consumeOptions) =>
      startConsumer(backend, name, handler, consumeOptions, options.timings ?? defaultTimings),
    counts: () => Promise.all(queueNames.map((name) => readState(name, queueOf(name)))),
    close: async () => {
      await Promise.all([...queues.values()].map((queue) => queue.close()))
      await backend.close()
    },
  }
}

function toBullTask(name: QueueName, task: Task) {
  return {
    name,
    data: { subject: task.subject, epoch: task.epoch },
    opts: {
      jobId: `${task.subject}-${name}-${task.epoch}`,
      attempts: 1,
      // The timeline tells what was done; a kept task would cost as much again as doing it.
      removeOnComplete: true,
      removeOnFail: keepFailed,
    },
  }
}

function startConsumer(
  backend: Backend,
  name: QueueName,
  handler: TaskHandler,
  { concurrency, onError }: ConsumeOptions,
  timings: QueueTimings,
): Consumer {
  const worker = backend.worker(
    name,
    ({ data }, _token, signal) => handler(data, signal ?? new AbortController().signal),
    {
      concurrency,
      lockDuration: timings.lockDurationMs,
      stalledInterval: timings.stalledIntervalMs,
      maxStalledCount: stalledCountMax,
    },
  )
  let isClosed = false
  worker.on('error', (error) => {
    // a connection that it leaves behind may end later than itself, and is nobody's trouble then
    if (!isClosed) onError(error)
  })
  worker.on('lockRenewalFailed', (ids: string[]) => {
    for (const id of ids) worker.cancelJob(id, 'lock lost')
  })
  return {
    limit: (limit) => {
      if (limit > 0) worker.concurrency = limit
      if (limit > 0 === !worker.isPaused()) return
      // the tasks in hand may last as long as what the pause is for
      const changed = limit > 0 ? worker.resume() : worker.pause(true)
      changed.catch(onError)
    },
    close: async () => {
      await worker.close()
      isClosed = true
    },
  }
}

import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import type { KeepJobs, Queue } from 'bullmq'
import { answerMsMaxDefault, type BackendOptions, isPostgres, openBackend } from './backend.ts'
import { type NewTask, type QueueName, type Queues, queueNames, type Task } from './queues.ts'
import { readState } from './read-state.ts'
import { defaultTimings, type QueueTimings, startConsumer } from './start-consumer.ts'
import { within } from './within.ts'

const keepFailed = { age: 7 * 24 * 3600, count: 5000 }

/**
 * Opens all queues on Redis or PostgreSQL, depending on the address. Connections are opened when needed. A call without
 * an answer in time throws DependencyUnavailable; the carrier may still complete it.
 */
export function openQueues(options: BackendOptions & { timings?: QueueTimings }): Queues {
  const { answerMsMax = answerMsMaxDefault, timings = defaultTimings, onError } = options
  const backend = openBackend(options)
  const queues = new Map<QueueName, Queue<Task>>()

  function queueOf(name: QueueName): Queue<Task> {
    const open = queues.get(name)
    if (open) return open
    const queue = backend.queue(name)
    queue.on('error', onError)
    queues.set(name, queue)
    // BullMQ remembers a first connection that failed and would fail every later call.
    queue.waitUntilReady().catch(() => {
      if (queues.get(name) === queue) queues.delete(name)
    })
    return queue
  }

  const ask = <Answer>(question: () => Promise<Answer>): Promise<Answer> =>
    within(answerMsMax, question()).catch((cause: unknown) => {
      throw new DependencyUnavailable('queue', { cause })
    })

  for (const name of queueNames) queueOf(name)
  return {
    enqueue: async (name, tasks) => {
      const queue = queueOf(name)
      const added = tasks.map((task) => toBullTask(name, task, keepFinished(options.url)))
      await ask<unknown>(() =>
        added.length < bulkTasksMin
          ? Promise.all(added.map(({ name, data, opts }) => queue.add(name, data, opts)))
          : queue.addBulk(added),
      )
    },
    consume: (name, handler, consumeOptions) =>
      startConsumer(backend, name, handler, {
        ...consumeOptions,
        timings,
        closeMsMax: answerMsMax,
      }),
    counts: () => ask(() => Promise.all(queueNames.map((name) => readState(name, queueOf(name))))),
    close: async () => {
      const closed = Promise.all([...queues.values()].map((queue) => queue.close()))
      // The backend closes the connections that are left.
      await within(answerMsMax, closed).catch(() => {})
      await backend.close()
    },
  }
}

/** On PostgreSQL, adding in bulk makes temporary tables, which costs as much as this many tasks one by one. */
const bulkTasksMin = 8
const hourSeconds = 3_600
/**
 * Finished batches stay on the board for an hour. In Redis they use memory, so their number is limited. On PostgreSQL,
 * counting what is left costs more with each task that is kept.
 */
const keepFinished = (url: string) => ({
  age: hourSeconds,
  ...(!isPostgres(url) && { count: finishedInRedisMax }),
})
const finishedInRedisMax = 3_000
const urgent = 1
const ordinary = 2

function toBullTask(name: QueueName, { isUrgent = false, ...task }: NewTask, keep: KeepJobs) {
  return {
    name: task.lane ?? name,
    data: task,
    opts: {
      jobId: `${task.subject}-${name}-${task.epoch}`,
      attempts: 1,
      priority: isUrgent ? urgent : ordinary,
      removeOnComplete: keep,
      removeOnFail: keepFailed,
    },
  }
}

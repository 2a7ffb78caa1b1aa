import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import type { Queue } from 'bullmq'
import { answerMsMaxDefault, type BackendOptions, openBackend } from './backend.ts'
import { type QueueName, type Queues, queueNames, type Task } from './queues.ts'
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
      await ask(() => queueOf(name).addBulk(tasks.map((task) => toBullTask(name, task))))
    },
    consume: (name, handler, consumeOptions) =>
      startConsumer(backend, name, handler, {
        ...consumeOptions,
        timings,
        closeMsMax: answerMsMax,
      }),
    incarnation: () => ask(() => backend.incarnation()),
    counts: () => ask(() => Promise.all(queueNames.map((name) => readState(name, queueOf(name))))),
    close: async () => {
      const closed = Promise.all([...queues.values()].map((queue) => queue.close()))
      // The backend closes the connections that are left.
      await within(answerMsMax, closed).catch(() => {})
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
      // The timeline records what was done. Keeping a completed task would cost as much again as doing it.
      removeOnComplete: true,
      removeOnFail: keepFailed,
    },
  }
}

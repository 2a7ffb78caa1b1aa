import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import type { Queue } from 'bullmq'
import { answerMsMaxDefault, type BackendOptions, openBackend } from './backend.ts'
import { type QueueName, type Queues, queueNames, type Task } from './queues.ts'
import { readState } from './read-state.ts'
import { defaultTimings, type QueueTimings, startConsumer } from './start-consumer.ts'
import { within } from './within.ts'

const keepFailed = { age: 7 * 24 * 3600, count: 5000 }

/**
 * Opens all queues on Redis or PostgreSQL, by the address. Connections are made as they are needed. A call that gets no answer
 * in time throws DependencyUnavailable; the carrier may do all the same what it was asked to.
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
    // BullMQ remembers a first connection that failed, and would fail every call for it.
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
      // What is left is closed with the backend.
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
      // The timeline tells what was done; a kept task would cost as much again as doing it.
      removeOnComplete: true,
      removeOnFail: keepFailed,
    },
  }
}

import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import { answerMsMaxDefault, type BackendOptions, openBackend } from './backend.ts'
import { type ManagedQueue, type QueueName, queueNames } from './queues.ts'
import { readManaged } from './read-state.ts'
import { within } from './within.ts'

/** Operations on queues for operators. The carrier stores the state, so it applies to every process. */
export type ManagedQueues = {
  list(): Promise<ManagedQueue[]>
  find(queue: QueueName): Promise<ManagedQueue>
  /** Pauses the queue. Tasks under way are finished. Safe to repeat. */
  pause(queue: QueueName): Promise<void>
  resume(queue: QueueName): Promise<void>
  /**
   * Removes the waiting tasks and returns how many there were. Nothing is lost, because the database keeps the work: the
   * scheduler offers batches again.
   */
  drain(queue: QueueName): Promise<number>
  /** Puts failed tasks back in the queue and returns how many there were. */
  retryFailed(queue: QueueName): Promise<number>
  close(): Promise<void>
}

const closeDeadlineMs = 1_000

/**
 * Opens the queues for operators, on Redis or PostgreSQL. It connects with the first call. Every call throws if the
 * carrier does not answer in time, and then it has changed nothing and will not.
 */
export function manageQueues(options: BackendOptions): ManagedQueues {
  let opened: ReturnType<typeof openAll> | undefined
  const queueOf = async (name: QueueName) => {
    opened ??= openAll(options)
    const open = opened
    const queue = open.queues.get(name)!
    try {
      await within(options.answerMsMax ?? answerMsMaxDefault, queue.waitUntilReady())
    } catch (cause) {
      // BullMQ remembers a first connection that failed and would fail every later call.
      if (opened === open) opened = undefined
      void open.close().catch(() => {})
      throw new DependencyUnavailable('queue', { cause })
    }
    return queue
  }
  const find = async (name: QueueName) => readManaged(name, await queueOf(name))
  return {
    list: () => Promise.all(queueNames.map(find)),
    find,
    pause: async (name) => (await queueOf(name)).pause(),
    resume: async (name) => (await queueOf(name)).resume(),
    drain: async (name) => {
      const { waiting, delayed } = await find(name)
      await (await queueOf(name)).drain(true)
      return waiting + delayed
    },
    retryFailed: async (name) => {
      const { failed } = await find(name)
      if (failed > 0) await (await queueOf(name)).retryJobs({ state: 'failed' })
      return failed
    },
    close: async () => {
      await opened?.close()
    },
  }
}

function openAll(options: BackendOptions) {
  const backend = openBackend(options)
  const queues = new Map(queueNames.map((name) => [name, backend.queue(name)]))
  for (const queue of queues.values()) queue.on('error', options.onError)
  return {
    queues,
    close: async () => {
      const closed = Promise.all([...queues.values()].map((queue) => queue.close()))
      // A queue that never connected would wait for its connection.
      await within(closeDeadlineMs, closed).catch(() => {})
      await backend.close()
    },
  }
}

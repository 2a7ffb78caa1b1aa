import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import { type BackendOptions, openBackend } from './backend.ts'
import { type ManagedQueue, type QueueName, queueNames } from './queues.ts'
import { readManaged } from './read-state.ts'
import { within } from './within.ts'

/** What operators do with queues. The carrier keeps it, so it reaches every process. */
export type ManagedQueues = {
  list(): Promise<ManagedQueue[]>
  find(queue: QueueName): Promise<ManagedQueue>
  /** Tasks in hand are finished. Safe to repeat. */
  pause(queue: QueueName): Promise<void>
  resume(queue: QueueName): Promise<void>
  /** Removes the tasks that wait and gives how many there were. Nothing is lost: the sweep wakes their subjects again. */
  drain(queue: QueueName): Promise<number>
  /** Puts failed tasks back among those that wait and gives how many there were. */
  retryFailed(queue: QueueName): Promise<number>
  close(): Promise<void>
}

const readyDeadlineMs = 5_000
const closeDeadlineMs = 1_000

/**
 * Opens the queues for operators, on Redis or PostgreSQL. Nothing is connected before the first call. Every call throws DependencyUnavailable
 * when the carrier does not answer in time, and then has changed nothing and will not.
 */
export function manageQueues(options: BackendOptions): ManagedQueues {
  let opened: ReturnType<typeof open> | undefined
  const queueOf = async (name: QueueName) => {
    opened ??= open(options)
    const queue = opened.queues.get(name)!
    await within(readyDeadlineMs, queue.waitUntilReady()).catch((cause: unknown) => {
      throw new DependencyUnavailable('queue', { cause })
    })
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

function open(options: BackendOptions) {
  const backend = openBackend(options)
  const queues = new Map(queueNames.map((name) => [name, backend.queue(name)]))
  for (const queue of queues.values()) queue.on('error', options.onError)
  return {
    queues,
    close: async () => {
      const closed = Promise.all([...queues.values()].map((queue) => queue.close()))
      // one that was never reached would wait for that
      await within(closeDeadlineMs, closed).catch(() => {})
      await backend.close()
    },
  }
}

import { randomUUID } from 'node:crypto'
import { type BoundedPool, openPool } from '@despatch/postgres/bounded-pool'
import {
  type BackendFactory,
  createPostgresBackend,
  type Processor,
  Queue,
  type RedisQueueBackend,
  Worker,
  type WorkerOptions,
} from 'bullmq'
import { Redis } from 'ioredis'
import type { QueueName, Task } from './queues.ts'

/** What differs between Redis and PostgreSQL as the carrier of the queues. */
export type Backend = {
  queue(name: QueueName): Queue<Task>
  worker(
    name: QueueName,
    processor: Processor<Task, void>,
    options: WorkerTimings,
  ): Worker<Task, void>
  /** Names the contents: another name means that tasks may be lost. */
  incarnation(): Promise<string>
  close(): Promise<void>
}

export type WorkerTimings = Pick<
  WorkerOptions,
  'concurrency' | 'lockDuration' | 'stalledInterval' | 'maxStalledCount'
>

export type BackendOptions = {
  url: string
  /** Keeps several systems apart on one Redis. */
  prefix?: string
  /** How long the carrier may take for what a producer asks of it, in milliseconds. */
  answerMsMax?: number
  onError: (error: Error) => void
}

export const schema = 'bullmq'
const sharedConnectionsMax = 4
/** One of them listens. */
const workerConnectionsMax = 5
const redisConnectTimeoutMs = 5_000
export const answerMsMaxDefault = 5_000
/** A worker asks for the next task for as long as a producer may wait at most; its connection may be silent for longer. */
const silencePerAnswer = 3

/** A worker that is closed while it connects keeps that connection. */
const closeMsMax = 500

// Queue and Worker are generic in their backend; nothing here calls what only one of the two has.
const postgresBackend = createPostgresBackend as unknown as BackendFactory<RedisQueueBackend>

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

export function openBackend(options: BackendOptions): Backend {
  return isPostgres(options.url) ? openPostgres(options) : openRedis(options)
}

function openPostgres({ url, answerMsMax = answerMsMaxDefault, onError }: BackendOptions): Backend {
  const pools: BoundedPool[] = []
  // Pools of our own, since those that BullMQ makes wait for ever. They carry the search_path, which it sets on its own only.
  const open = (name: string, max: number) => {
    const opened = openPool(
      {
        connectionString: url,
        max,
        options: `-c search_path=${schema}`,
        application_name: name,
        statement_timeout: 2 * answerMsMax,
        silenceMsMax: silencePerAnswer * answerMsMax,
        closeMsMax,
      },
      onError,
    )
    pools.push(opened)
    return opened.pool as never
  }
  const shared = open('queues', sharedConnectionsMax)
  return {
    queue: (name) => new Queue<Task>(name, { connection: shared }, postgresBackend),
    worker: (name, processor, timings) =>
      new Worker<Task, void>(
        name,
        processor,
        {
          connection: open(`queue ${name}`, workerConnectionsMax),
          drainDelay: answerMsMax / 1000,
          ...timings,
        },
        postgresBackend,
      ),
    // what is committed stays
    incarnation: async () => 'postgres',
    close: async () => {
      await Promise.all(pools.map((pool) => pool.close()))
    },
  }
}

function openRedis({
  url,
  prefix = 'despatch',
  answerMsMax = answerMsMaxDefault,
  onError,
}: BackendOptions): Backend {
  // A producer fails at once when Redis is away: the outbox keeps the task. A worker waits until it is back, on a connection
  // that is dropped when Redis says nothing: a command with a timeout of its own would fail what the worker waits for.
  const producer = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: redisConnectTimeoutMs,
    commandTimeout: answerMsMax,
    socketTimeout: answerMsMax,
    lazyConnect: false,
  })
  producer.on('error', onError)
  const connections: Redis[] = [producer]
  return {
    queue: (name) =>
      // A check of the version that fails would fail everything that follows.
      new Queue<Task>(name, { connection: producer, prefix, skipVersionCheck: true }),
    worker: (name, processor, timings) => {
      const connection = new Redis(url, {
        maxRetriesPerRequest: null,
        connectTimeout: redisConnectTimeoutMs,
        socketTimeout: silencePerAnswer * answerMsMax,
      })
      connection.on('error', onError)
      connections.push(connection)
      const drainDelay = answerMsMax / 1000
      return new Worker<Task, void>(name, processor, { connection, prefix, drainDelay, ...timings })
    },
    incarnation: () => readIncarnation(producer, `${prefix}:incarnation`),
    close: async () => {
      for (const connection of connections) connection.disconnect()
    },
  }
}

/** A Redis that starts again may have lost the last second; one that was wiped has lost the key. */
async function readIncarnation(redis: Redis, key: string): Promise<string> {
  await redis.set(key, randomUUID(), 'NX')
  const [id, info] = await Promise.all([redis.get(key), redis.info('server')])
  return `${/^run_id:(\w+)/m.exec(info)?.[1]} ${id}`
}

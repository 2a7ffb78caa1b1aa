import { type BoundedPool, openPool } from '@despatch/postgres/bounded-pool'
import { openRedis as connect, type RedisClient } from '@despatch/redis/open-redis'
import { parseRedisAddress } from '@despatch/redis/redis-address'
import {
  type BackendFactory,
  createPostgresBackend,
  type Processor,
  Queue,
  type RedisQueueBackend,
  Worker,
  type WorkerOptions,
} from 'bullmq'
import type { QueueName, Task } from './queues.ts'

/** The operations that differ between Redis and PostgreSQL as the carrier of the queues. */
export type Backend = {
  queue(name: QueueName): Queue<Task>
  worker(
    name: QueueName,
    processor: Processor<Task, unknown>,
    options: WorkerTimings,
  ): Worker<Task, unknown>
  close(): Promise<void>
}

type WorkerTimings = Pick<
  WorkerOptions,
  'concurrency' | 'lockDuration' | 'stalledInterval' | 'maxStalledCount' | 'metrics'
>

export type BackendOptions = {
  url: string
  /** Separates several systems on one Redis. */
  prefix?: string
  /** How long a producer's call to the carrier may take, in milliseconds. */
  answerMsMax?: number
  onError: (error: Error) => void
}

export const schema = 'bullmq'
const sharedConnectionsMax = 4
/** One of the connections listens. */
const workerConnectionsMax = 5
const redisConnectTimeoutMs = 5_000
export const answerMsMaxDefault = 5_000
/**
 * Each request of a worker for the next task waits as long as a producer may wait at most. The connection of a worker
 * may be silent for this many times as long.
 */
const silencePerAnswer = 3

/** A worker that is closed while it connects does not release that connection. */
const closeMsMax = 500

// Queue and Worker are generic in their backend. This code calls nothing that only one of the two has.
const postgresBackend = createPostgresBackend as unknown as BackendFactory<RedisQueueBackend>

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

export function openBackend(options: BackendOptions): Backend {
  return isPostgres(options.url) ? openPostgres(options) : openRedis(options)
}

function openPostgres({ url, answerMsMax = answerMsMaxDefault, onError }: BackendOptions): Backend {
  const pools: BoundedPool[] = []
  // We open the pools, because those of BullMQ wait without limit. We also set the search_path, because BullMQ sets it
  // only on pools of its own.
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
      new Worker<Task, unknown>(
        name,
        processor,
        {
          connection: open(`queue ${name}`, workerConnectionsMax),
          drainDelay: answerMsMax / 1000,
          ...timings,
        },
        postgresBackend,
      ),
    close: async () => {
      await Promise.all(pools.map((pool) => pool.close()))
    },
  }
}

function openRedis({
  url,
  prefix: name = 'despatch',
  answerMsMax = answerMsMaxDefault,
  onError,
}: BackendOptions): Backend {
  // A script of BullMQ changes several keys of a queue, so all of them must be on one node of a cluster.
  const prefix = parseRedisAddress(url).isCluster ? `{${name}}` : name
  // A producer fails at once while Redis is unavailable; the database keeps the work. A worker waits until Redis is back.
  // Its connection is dropped after a silence; a command timeout would also fail the blocking commands of the worker.
  const producer = connect(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: redisConnectTimeoutMs,
    commandTimeout: answerMsMax,
    socketTimeout: answerMsMax,
  })
  producer.on('error', onError)
  const connections: RedisClient[] = [producer]
  return {
    queue: (name) =>
      // A failed version check would fail every later call.
      new Queue<Task>(name, { connection: producer, prefix, skipVersionCheck: true }),
    worker: (name, processor, timings) => {
      const connection = connect(url, {
        maxRetriesPerRequest: null,
        connectTimeout: redisConnectTimeoutMs,
        socketTimeout: silencePerAnswer * answerMsMax,
      })
      connection.on('error', onError)
      connections.push(connection)
      const drainDelay = answerMsMax / 1000
      return new Worker<Task, unknown>(name, processor, {
        connection,
        prefix,
        drainDelay,
        ...timings,
      })
    },
    close: async () => {
      for (const connection of connections) connection.disconnect()
    },
  }
}

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
import pg from 'pg'
import type { QueueName, Task } from './queues.ts'

/** What differs between Redis and PostgreSQL as the carrier of the queues. */
export type Backend = {
  queue(name: QueueName): Queue<Task>
  worker(
    name: QueueName,
    processor: Processor<Task, void>,
    options: WorkerTimings,
  ): Worker<Task, void>
  close(): Promise<void>
}

export type WorkerTimings = Pick<
  WorkerOptions,
  'concurrency' | 'lockDuration' | 'stalledInterval' | 'maxStalledCount' | 'drainDelay'
>

export type BackendOptions = {
  url: string
  /** Keeps several systems apart on one Redis. */
  prefix?: string
  onError: (error: Error) => void
}

export const schema = 'bullmq'
const sharedConnectionsMax = 4
const workerConnectionsMax = 4
const redisConnectTimeoutMs = 5_000

// Queue and Worker are generic in their backend; nothing here calls what only one of the two has.
const postgresBackend = createPostgresBackend as unknown as BackendFactory<RedisQueueBackend>

export function isPostgres(url: string): boolean {
  return /^postgres(ql)?:/.test(url)
}

export function openBackend(options: BackendOptions): Backend {
  return isPostgres(options.url) ? openPostgres(options) : openRedis(options)
}

function openPostgres({ url, onError }: BackendOptions): Backend {
  // One pool for all producers; it carries the search_path itself, since BullMQ sets that only on pools of its own.
  const pool = new pg.Pool({
    connectionString: url,
    max: sharedConnectionsMax,
    options: `-c search_path=${schema}`,
    application_name: 'queues',
    keepAlive: true,
  })
  pool.on('error', onError)
  const connections = new Set<Promise<void>>()
  pool.on('connect', (client) => {
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    connections.add(ended)
    void ended.then(() => connections.delete(ended))
  })
  return {
    queue: (name) => new Queue<Task>(name, { connection: pool as never }, postgresBackend),
    worker: (name, processor, timings) =>
      new Worker<Task, void>(
        name,
        processor,
        {
          connection: {
            connectionString: url,
            schema,
            max: workerConnectionsMax,
            keepAlive: true,
            application_name: `queue ${name}`,
          } as never,
          ...timings,
        },
        postgresBackend,
      ),
    close: async () => {
      await pool.end()
      // The pool has only asked for it. PostgreSQL may be stopped next, and would tell those that it still has.
      await Promise.all(connections)
    },
  }
}

function openRedis({ url, prefix = 'despatch', onError }: BackendOptions): Backend {
  // A producer fails at once when Redis is away: the outbox keeps the task. A worker waits for ever.
  const producer = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: redisConnectTimeoutMs,
    lazyConnect: false,
  })
  producer.on('error', onError)
  const connections: Redis[] = [producer]
  return {
    queue: (name) => new Queue<Task>(name, { connection: producer, prefix }),
    worker: (name, processor, timings) => {
      const connection = new Redis(url, {
        maxRetriesPerRequest: null,
        connectTimeout: redisConnectTimeoutMs,
      })
      connection.on('error', onError)
      connections.push(connection)
      return new Worker<Task, void>(name, processor, { connection, prefix, ...timings })
    },
    close: async () => {
      for (const connection of connections) connection.disconnect()
    },
  }
}

import {
  type BackendFactory,
  createPostgresBackend,
  createRedisBackend,
  Queue,
  type RedisQueueBackend,
  Worker,
} from 'bullmq'
import { PgBoss } from 'pg-boss'

/** What carries the tasks of a rival: `bullmq` is on PostgreSQL. */
export type Carrier = 'bullmq' | 'bullmq-redis' | 'pg-boss'

type TaskQueue<Task> = {
  add(task: Task): Promise<unknown>
  addAll(tasks: readonly Task[]): Promise<unknown>
  /** Starts the worker of the queue. */
  work(run: (task: Task) => Promise<unknown>): Promise<unknown>
}

type TaskQueues = {
  open<Task extends object>(name: string): Promise<TaskQueue<Task>>
  close(): Promise<unknown>
}

type TaskQueueSettings = {
  carrier: Carrier
  queueUrl: string
  /** The number of tasks that the worker of a queue does at the same time. */
  concurrency: number
}

/** Of each pool of connections to PostgreSQL. */
const connectionsMax = 8

/** Opens the queues of a library, with the settings that it offers for many small tasks. */
export function openTaskQueues(settings: TaskQueueSettings): Promise<TaskQueues> {
  return settings.carrier === 'pg-boss' ? openPgBoss(settings) : openBullmq(settings)
}

// Queue and Worker are generic in their backend. Nothing here calls what only one backend has.
const postgresBackend = createPostgresBackend as unknown as BackendFactory<RedisQueueBackend>

async function openBullmq({
  carrier,
  queueUrl,
  concurrency,
}: TaskQueueSettings): Promise<TaskQueues> {
  const isOnRedis = carrier === 'bullmq-redis'
  const backend = isOnRedis ? createRedisBackend : postgresBackend
  const options = isOnRedis
    ? { connection: { url: queueUrl, maxRetriesPerRequest: null }, prefix: 'bench' }
    : { connection: { connectionString: queueUrl, schema: 'bullmq', max: connectionsMax } as never }
  const opts = { removeOnComplete: true }
  const opened: { close(): Promise<void> }[] = []
  return {
    open: async (name) => {
      const queue = new Queue(name, options, backend)
      opened.push(queue)
      return {
        add: (data) => queue.add('task', data, opts),
        addAll: (tasks) => queue.addBulk(tasks.map((data) => ({ name: 'task', data, opts }))),
        work: (run) => {
          const worker = new Worker(
            name,
            ({ data }) => run(data),
            { ...options, concurrency },
            backend,
          )
          // the workers are closed first
          opened.unshift(worker)
          return worker.waitUntilReady()
        },
      }
    },
    close: async () => {
      for (const part of opened) await part.close()
    },
  }
}

/** A worker fetches as many tasks as it may work on, and continues while there are more. */
async function openPgBoss({ queueUrl, concurrency }: TaskQueueSettings): Promise<TaskQueues> {
  const boss = new PgBoss({
    connectionString: queueUrl,
    schema: 'bench_pg_boss',
    max: connectionsMax,
  })
  boss.on('error', (error) => process.stderr.write(`${error.stack}\n`))
  await boss.start()
  const work = { batchSize: concurrency, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 }
  return {
    open: async <Task extends object>(name: string) => {
      await boss.createQueue(name)
      return {
        add: (task: Task) => boss.send(name, task),
        addAll: (tasks: readonly Task[]) =>
          boss.insert(
            name,
            tasks.map((data) => ({ data })),
          ),
        work: (run: (task: Task) => Promise<unknown>) =>
          boss.work<Task>(name, work, (tasks) => Promise.all(tasks.map(({ data }) => run(data)))),
      }
    },
    close: () => boss.stop({ graceful: true }),
  }
}

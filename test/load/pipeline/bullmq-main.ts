import {
  type BackendFactory,
  createPostgresBackend,
  Queue,
  type RedisQueueBackend,
  Worker,
} from 'bullmq'
import { openTable, readSettings, serve } from './two-hop-worker.ts'

/** A BullMQ worker with two hops, on Redis or on PostgreSQL, the same as the pipeline's queues. */
const settings = readSettings(process.env)
const { queueUrl, concurrency } = settings
const isRedis = queueUrl.startsWith('redis')
const { pool, move } = openTable(settings)
type Task = { id: string }
const options = isRedis
  ? { connection: { url: queueUrl, maxRetriesPerRequest: null }, prefix: 'bench' }
  : { connection: { connectionString: queueUrl, schema: 'bullmq', max: 4 } as never }
// Queue and Worker are generic in their backend. Nothing here calls what only one backend has.
const backend = createPostgresBackend as unknown as BackendFactory<RedisQueueBackend>
const kept = { removeOnComplete: true }

function openQueue(name: string) {
  return isRedis ? new Queue<Task>(name, options) : new Queue<Task>(name, options, backend)
}

function openWorker(name: string, hop: (id: string) => Promise<unknown>) {
  const processor = ({ data }: { data: Task }) => hop(data.id)
  const settings = { ...options, concurrency }
  return isRedis
    ? new Worker<Task>(name, processor, settings)
    : new Worker<Task>(name, processor, settings, backend)
}

const first = openQueue('bench-first')
const second = openQueue('bench-second')
const workers = [
  openWorker('bench-first', async (id) => {
    await move(id, 'VALIDATING')
    await second.add('task', { id }, kept)
  }),
  openWorker('bench-second', (id) => move(id, 'PENDING')),
]
await Promise.all(workers.map((worker) => worker.waitUntilReady()))

await serve({
  enqueue: (ids) => first.addBulk(ids.map((id) => ({ name: 'task', data: { id }, opts: kept }))),
  close: async () => {
    await Promise.all(workers.map((worker) => worker.close()))
    await Promise.all([first.close(), second.close(), pool.end()])
  },
})

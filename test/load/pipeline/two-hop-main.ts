import { type Carrier, openTaskQueues } from '../task-queues.ts'
import { openTable, readSettings, serve } from './two-hop-worker.ts'

/** A worker with two hops on the queues of BullMQ or pg-boss. */
const settings = readSettings(process.env)
const { pool, move } = openTable(settings)
type Task = { id: string }

const queues = await openTaskQueues({ ...settings, carrier: process.env.CARRIER as Carrier })
const first = await queues.open<Task>('bench-first')
const second = await queues.open<Task>('bench-second')
await first.work(async ({ id }) => {
  await move(id, 'VALIDATING')
  await second.add({ id })
})
await second.work(({ id }) => move(id, 'PENDING'))

await serve({
  enqueue: (ids) => first.addAll(ids.map((id) => ({ id }))),
  close: async () => {
    await queues.close()
    await pool.end()
  },
})

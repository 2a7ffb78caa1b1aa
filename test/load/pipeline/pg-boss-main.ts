import { PgBoss } from 'pg-boss'
import { openTable, readSettings, serve } from './two-hop-worker.ts'

/** A pg-boss worker with two hops. It fetches as many jobs as it may work on, and continues while there are more. */
const settings = readSettings(process.env)
const { databaseUrl, concurrency } = settings
const { pool, move } = openTable(settings)
type Task = { id: string }
const work = { batchSize: concurrency, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 }

const boss = new PgBoss({ connectionString: databaseUrl, schema: 'bench_pg_boss', max: 8 })
boss.on('error', (error) => process.stderr.write(`${error.stack}\n`))
await boss.start()
await boss.createQueue('first')
await boss.createQueue('second')
await boss.work<Task>('first', work, async (tasks) => {
  await Promise.all(
    tasks.map(async ({ data: { id } }) => {
      await move(id, 'VALIDATING')
      await boss.send('second', { id })
    }),
  )
})
await boss.work<Task>('second', work, async (tasks) => {
  await Promise.all(tasks.map(({ data: { id } }) => move(id, 'PENDING')))
})

await serve({
  enqueue: (ids) =>
    boss.insert(
      'first',
      ids.map((id) => ({ data: { id } })),
    ),
  close: async () => {
    await boss.stop({ graceful: true })
    await pool.end()
  },
})

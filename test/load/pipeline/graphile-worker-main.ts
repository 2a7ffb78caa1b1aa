import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { openTable, readSettings, serve } from './two-hop-worker.ts'

/** A graphile-worker with two hops. It uses the library's local queue and batch completion. */
const settings = readSettings(process.env)
const { databaseUrl, concurrency } = settings
const { pool, move } = openTable(settings)
const hops = 2
const shared = {
  connectionString: databaseUrl,
  schema: 'bench_graphile_worker',
  logger: new Logger(() => () => {}),
}

const utils = await makeWorkerUtils(shared)
await utils.migrate()
const runner = await run({
  ...shared,
  noHandleSignals: true,
  preset: {
    worker: {
      concurrentJobs: concurrency * hops,
      maxPoolSize: 8,
      localQueue: { size: concurrency * hops },
      completeJobBatchDelay: 0,
    },
  },
  taskList: {
    first: async (payload, { addJob }) => {
      const { id } = payload as { id: string }
      await move(id, 'VALIDATING')
      await addJob('second', { id })
    },
    second: async (payload) => {
      await move((payload as { id: string }).id, 'PENDING')
    },
  },
})

await serve({
  enqueue: (ids) => utils.addJobs(ids.map((id) => ({ identifier: 'first', payload: { id } }))),
  close: async () => {
    await runner.stop()
    await utils.release()
    await pool.end()
  },
})

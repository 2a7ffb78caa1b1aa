import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { expect, test } from 'vitest'
import { insertProvider } from '../src/access/consumers.ts'
import { listTraceContexts } from '../src/print-job/trace-contexts.ts'

const database = await shared(aDatabase({ connectionsMax: 2 }))
await insertProvider(database.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
const runs = await shared(somePrintRuns(database.url))

const traceContext = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

test('finds the trace contexts of print jobs by key and by run, up to a limit', async () => {
  const { batchNumber, keys } = await runs.aReleasedRun(5)
  const traced = keys.slice(1).toSorted()
  await database.pool.query('update print_job set trace_context = $2 where key = any ($1)', [
    traced,
    traceContext,
  ])
  const find = async (by: Parameters<typeof listTraceContexts>[1], printJobsMax: number) =>
    (await listTraceContexts(database.db, by, printJobsMax)).toSorted((a, b) =>
      a.key < b.key ? -1 : 1,
    )

  const all = traced.map((key) => ({ key, traceContext }))
  expect(await find({ keys }, 10)).toEqual(all)
  expect(await find({ keys }, 2)).toEqual([{ key: keys[1], traceContext }])
  expect(await find({ batchNumbers: [batchNumber] }, 10)).toEqual(all)
  expect((await find({ batchNumbers: [batchNumber] }, 3)).length).toBeLessThanOrEqual(3)
  expect(await find({ batchNumbers: [] }, 10)).toEqual([])
})

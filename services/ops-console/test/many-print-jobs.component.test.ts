import { openDatabase } from '@despatch/store/database'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import type { LiveFacts } from '../src/figures/live-facts.ts'
import { aConsoleStage, firstFacts } from './a-console.ts'
import { fillWithPrintJobs, mixture, parked } from './many-print-jobs.ts'

const stage = await shared(aConsoleStage())
const database = await shared(openDatabase(stage.databaseUrl, { name: 'test', connectionsMax: 1 }))
await fillWithPrintJobs(database)
// a planner that has few rows prefers to read them all
await database.pool.query(
  `do $$ begin execute format('alter database %I set enable_seqscan = off', current_database()); end $$`,
)
const cookie = await stage.signedIn('operator')

test('the page Now has its figures of 10,000 print jobs, and reads few rows', async () => {
  const before = await rowsRead()

  const { figures, failingOrigins, runs, flow } = await openPage()

  const counted = figures!.printJobs.map(({ status, count }) => [status, count])
  expect(Object.fromEntries(counted)).toEqual(mixture)
  expect(figures!.parked.count).toBe(parked)
  expect(failingOrigins).toHaveLength(10)
  expect(runs!.length).toBeGreaterThan(3)
  expect(flow!.reduce((sum, { came }) => sum + came, 0)).toBeGreaterThan(50)
  const after = await rowsRead()
  const read = Object.entries(after).map(([table, rows]) => [table, rows - before[table]!])
  // of 10,000 print jobs with two events each and 8,000 callbacks with an attempt each
  expect(read).toHaveLength(4)
  expect(read.filter(([, rows]) => Number(rows) > 4_000)).toEqual([])
})

/**
 * Returns how many rows of each large table scans have read so far, from end to end or by an index. A session reports
 * its reads when it ends, so all other sessions must have ended.
 */
async function rowsRead(): Promise<Record<string, number>> {
  await database.pool.query('select pg_stat_force_next_flush()')
  await eventually(
    async () => {
      const { rowCount } = await database.pool.query(
        `select from pg_stat_activity
         where datname = current_database() and backend_type = 'client backend' and application_name <> 'test'`,
      )
      return rowCount === 0
    },
    { message: 'no console is connected any more' },
  )
  // the timeline is in partitions
  const { rows } = await database.pool.query<{ name: string; rows: number }>(
    `select name, sum(whole + indexed)::integer as rows from pg_stat_user_tables scanned
     cross join lateral (select seq_tup_read as whole, coalesce((select sum(idx_tup_read) from pg_stat_user_indexes used
       where used.relid = scanned.relid), 0) as indexed,
       substring(relname from '^(print_job_event|print_job$|callback_attempt$|callback$)') as name) read
     where name is not null group by name`,
  )
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
}

/** Opens the page at a new console, which has no cached reads and no connections yet. */
async function openPage(): Promise<LiveFacts> {
  const console = await stage.aConsole()
  try {
    const address = await console.api.listen({ port: 0, host: '127.0.0.1' })
    const page = await fetch(address, { headers: { cookie } })
    expect(await page.text()).toContain('src="/console/now-')
    return await firstFacts(address, cookie)
  } finally {
    await console.close()
  }
}

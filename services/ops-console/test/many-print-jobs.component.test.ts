import { openDatabase } from '@despatch/store/database'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'
import type { LiveFacts } from '../src/live-facts.ts'
import { aConsoleStage, firstFacts } from './a-console.ts'
import { fillWithPrintJobs, mixture, parked } from './many-print-jobs.ts'

/** Four times the duration on an idle machine. */
const answerMsMax = 600
const readings = 20
/** A machine that is busy with other tests responds late for a while, so one good round is enough. */
const roundsMax = 10

const stage = await shared(aConsoleStage())
const database = await shared(openDatabase(stage.databaseUrl, { name: 'test', connectionsMax: 1 }))
await fillWithPrintJobs(database)
const cookie = await stage.signedIn('operator')

test(`with 50,000 print jobs the page Now has its figures within ${answerMsMax} ms`, async () => {
  const rounds: number[] = []
  let facts: LiveFacts
  do {
    const took: number[] = []
    while (took.length < readings) {
      const answer = await openPage()
      took.push(answer.ms)
      facts = answer.facts
    }
    rounds.push(took.toSorted((one, other) => one - other)[Math.ceil(0.95 * readings) - 1]!)
  } while (Math.min(...rounds) >= answerMsMax && rounds.length < roundsMax)

  console.log(
    `The page Now, 95th percentile of ${readings}: ${rounds.map(Math.round).join(', ')} ms`,
  )
  const counted = facts!.figures!.printJobs.map(({ status, count }) => [status, count])
  expect(Object.fromEntries(counted)).toEqual(mixture)
  expect(facts!.figures!.parked.count).toBe(parked)
  expect(facts!.failingOrigins).toHaveLength(10)
  expect(facts!.runs!.length).toBeGreaterThan(3)
  expect(facts!.flow!.reduce((sum, { came }) => sum + came, 0)).toBeGreaterThan(50)
  expect(Math.min(...rounds)).toBeLessThan(answerMsMax)
}, 240_000)

test('it reads no large table from end to end', async () => {
  const before = await readFromEndToEnd()

  await openPage()

  const after = await readFromEndToEnd()
  const read = Object.entries(after).map(([table, rows]) => [table, rows - before[table]!])
  expect(Object.fromEntries(read)).toEqual({
    print_job: 0,
    print_job_event: 0,
    callback: 0,
    callback_attempt: 0,
  })
})

/**
 * Returns how many rows sequential scans have read so far. A session reports its reads when it ends, so all other
 * sessions must have ended.
 */
async function readFromEndToEnd(): Promise<Record<string, number>> {
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
  const tables = ['print_job', 'print_job_event', 'callback', 'callback_attempt']
  const { rows } = await database.pool.query<{ relname: string; rows: number }>(
    `select relname, seq_tup_read::integer as rows from pg_stat_user_tables
     where relname = any ($1) order by array_position($1, relname::text)`,
    [tables],
  )
  return Object.fromEntries(rows.map(({ relname, rows }) => [relname, rows]))
}

/** Opens the page at a new console, which has no cached reads and no connections yet. */
async function openPage(): Promise<{ ms: number; facts: LiveFacts }> {
  const console = await stage.aConsole()
  try {
    const address = await console.api.listen({ port: 0, host: '127.0.0.1' })
    const begun = performance.now()
    const page = await fetch(address, { headers: { cookie } })
    expect(await page.text()).toContain('pages/now.ts')
    const facts = await firstFacts(address, cookie)
    return { ms: performance.now() - begun, facts }
  } finally {
    await console.close()
  }
}

import { randomBytes, randomUUID } from 'node:crypto'
import { insertProvider } from '@despatch/store/access/consumers'
import { type Migration, migrate, readMigrations } from '@despatch/store/migrate'
import { saveConfirmation } from '@despatch/store/posting/confirm'
import { insertPosting } from '@despatch/store/posting/postings'
import { movePrintJobs } from '@despatch/store/print-job/print-jobs'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { eventually } from '@despatch/testing/eventually'
import { findWrongCounts } from '@despatch/testing/kept-counts'
import { aSubmission } from '@despatch/testing/print-job-builders'
import { type SomePrintRuns, somePrintRuns } from '@despatch/testing/some-print-runs'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'

const name = '0028_counts.sql'
const all = await readMigrations()
/** Migrations that depend on it. This release needs all others. */
const dependent = [
  '0034_letter_partitions.sql',
  '0037_least_privilege.sql',
  '0041_attempts_by_minute.sql',
  '0043_attempts_of_origins.sql',
  '0048_gather_by_group.sql',
]
const before = all.filter((migration) => ![name, ...dependent].includes(migration.name))
const counts = all.find((migration) => migration.name === name)!

/** A database before the migration, with a letter in each status: the previous release does not know the counts. */
async function thePreviousRelease(): Promise<{ url: string; runs: SomePrintRuns }> {
  const { postgresUrl } = inject('infra')
  const url = new URL(postgresUrl)
  url.pathname = `/counts_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: postgresUrl })
  await admin.connect()
  await admin.query(`create database ${url.pathname.slice(1)}`)
  await migrate(url.href, { migrations: before })
  const runs = await somePrintRuns(url.href)
  // what this release reads and writes, although the previous one has no counts
  await runs.pool.query(`
    alter table print_run_document add column routed_on date;
    create view current_count as
      select ''::text as what, ''::text as subject, ''::text as state, 0::bigint as count where false`)
  onTestFinished(async () => {
    await runs.close()
    await admin.query(`drop database ${url.pathname.slice(1)} with (force)`)
    await admin.end()
  })
  await insertProvider(runs.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
  await despatchAll(runs)
  const { ids } = await runs.aClaimedRun(3)
  expect(await runs.deleteJob(ids[0]!)).toBe('not-pending')
  const open = await runs.anOpenRun(2)
  expect(await runs.deleteJob(open.ids[0]!)).toBe('deleted')
  return { url: url.href, runs }
}

async function despatchAll(runs: SomePrintRuns): Promise<void> {
  const { batchNumber } = await runs.anAcknowledgedRun(2)
  const outcome = await insertPosting(runs.db, {
    ...{ providerId: 'north', postingKey: randomUUID(), requestHash: Buffer.alloc(32) },
    printRuns: [{ batchNumber }],
    ...{ carrier: 'Royal Mail', handoverAt: new Date(), details: [], despatchProperties: [] },
  })
  if (outcome.kind !== 'posted') throw new Error(outcome.kind)
  const { postingId } = outcome.posting
  await saveConfirmation(runs.db, { providerId: 'north', postingId })
}

async function submit({ pool, consumer }: SomePrintRuns): Promise<string> {
  const submission = aSubmission(consumer)
  await saveSubmissions(pool, [submission])
  return submission.key
}

async function countsByStatus({ pool }: SomePrintRuns) {
  const { rows } = await pool.query<{ state: string; count: number }>(
    `select state, sum(count)::integer as count from current_count where what = 'print_job'
     group by state having sum(count) <> 0 order by state`,
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

test('the letters of the previous release are counted, also those that it changes meanwhile', async () => {
  const { url, runs } = await thePreviousRelease()
  const key = await submit(runs)
  const writer = await runs.db.startTransaction().execute()
  await movePrintJobs(writer, [{ key }], 'reject', { actor: 'the previous release' })
  const lines: string[] = []

  const migrating = migrate(url, {
    migrations: [...before, counts],
    log: (line) => void lines.push(line),
  })
  await eventually(() => lines.length > 0, { message: 'the migration waits for the writer' })
  await submit(runs)
  await writer.commit().execute()
  await migrating

  expect(await findWrongCounts(runs.db)).toEqual([])
  expect(await countsByStatus(runs)).toEqual({
    ...{ QUARANTINE: 1, PENDING: 1, PRODUCTION: 3, DESPATCHED: 2, REJECTED: 1 },
  })
  const { rows } = await runs.pool.query(
    `select sum(accepted)::integer as accepted, sum(deleted)::integer as deleted, sum(letters)::integer as letters
     from current_volume`,
  )
  expect(rows).toEqual([{ accepted: 9, deleted: 1, letters: 2 }])
})

test('letters count once if the migration is interrupted and runs again', async () => {
  const { url, runs } = await thePreviousRelease()
  const parts = counts.sql.split('-- commit\n')
  const interruptedAfter = (count: number): Migration => ({
    ...counts,
    sql: [...parts.slice(0, count), 'select 1 / 0'].join('-- commit\n'),
  })
  for (let count = 1; count < parts.length; count++) {
    await expect(
      migrate(url, { migrations: [...before, interruptedAfter(count)] }),
    ).rejects.toThrow(name)
    await submit(runs)
  }

  await migrate(url, { migrations: [...before, counts] })

  expect(await findWrongCounts(runs.db)).toEqual([])
  expect(await countsByStatus(runs)).toMatchObject({ QUARANTINE: parts.length - 1, DESPATCHED: 2 })
})

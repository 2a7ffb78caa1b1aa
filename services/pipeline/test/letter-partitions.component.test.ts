import { randomUUID } from 'node:crypto'
import { openDatabase, type Tx } from '@despatch/store/database'
import { findPrintJob, findPrintJobEvents } from '@despatch/store/print-job/record'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { aDatabase } from '@despatch/testing/a-database'
import { findWrongCounts } from '@despatch/testing/kept-counts'
import { makePending } from '@despatch/testing/make-pending'
import {
  aKeyAt,
  aSubmission,
  insertConsumer,
  type StoredConsumer,
} from '@despatch/testing/print-job-builders'
import { shared } from '@despatch/testing/shared'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createLetterPartitions } from '../src/upkeep/letter-partitions.ts'
import { inMonths, nameOfMonth } from './months-ahead.ts'

const database = await shared(aDatabase())
const { db, pool } = database
const consumer = await insertConsumer(db)

/** Submits a letter at that time. Returns its key, which is also its id. */
async function submitAt(at: Date, of: StoredConsumer = consumer): Promise<string> {
  const key = aKeyAt(at)
  await saveSubmissions(pool, [aSubmission(of, { key, id: key })])
  return key
}

/** Returns the partitions of a table that the work scanned, with the number of scans. */
async function scans(table: string, work: (tx: Tx) => Promise<unknown>) {
  return db.transaction().execute(async (tx) => {
    const before = await readScans(tx, table)
    await work(tx)
    const after = await readScans(tx, table)
    const counts = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)])
    return Object.fromEntries(counts.filter(([, count]) => count !== 0))
  })
}

/** The scans by this connection that the server has not added to its statistics yet, and those of the transaction. */
async function readScans(tx: Tx, table: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; scans: number }>`
    select relname as name, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) as scans
    from pg_stat_xact_user_tables where relname like ${`${table}_%`}`.execute(tx)
  return Object.fromEntries(rows.map(({ name, scans: count }) => [name, count]))
}

async function partitionOf(key: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'select distinct tableoid::regclass::text as name from print_job_event where print_job_key = $1',
    [key],
  )
  return rows.map(({ name }) => name)
}

const month = inMonths(6)
const table = `print_job_event_${nameOfMonth(month)}`

describe('the partitions of coming months', () => {
  test('are created once by concurrent processes', async () => {
    const other = openDatabase(database.url, { name: 'other', connectionsMax: 1 })

    const created = await Promise.all(
      [db, other.db].map((each) => createLetterPartitions(each, { now: month })),
    )
    const again = await createLetterPartitions(db, { now: month })
    await other.close()

    // two tables; the migration has created those up to three months after the present
    const { rows } = await pool.query(
      'select count(*)::integer as count from letter_partition where ends_on > $1',
      [inMonths(9, 1)],
    )
    expect(rows).toEqual([{ count: 2 }])
    expect(Math.min(...created)).toBe(0)
    expect(again).toBe(0)
  })

  test('receive the letters that were saved before them', async () => {
    const later = inMonths(25)
    const key = await submitAt(later)
    expect(await partitionOf(key)).toEqual(['print_job_event_default'])

    await createLetterPartitions(db, { now: later })

    expect(await partitionOf(key)).toEqual([`print_job_event_${nameOfMonth(later)}`])
    expect(await findPrintJobEvents(db, consumer.consumerId, key)).toHaveLength(1)
    expect(await findWrongCounts(db)).toEqual([])
  })
})

describe('one probe of one partition finds', () => {
  test('the timeline of a letter, and its status', async () => {
    await createLetterPartitions(db, { now: month })
    const key = await submitAt(month)

    expect(
      await scans('print_job_event', (tx) => findPrintJobEvents(tx, consumer.consumerId, key)),
    ).toEqual({ [table]: 1 })
    expect(
      await scans('print_job_event', (tx) => findPrintJob(tx, consumer.consumerId, key)),
    ).toEqual({})
  })

  test('the previous events of letters of two months that move together', async () => {
    await createLetterPartitions(db, { now: month })
    const before = inMonths(5)
    const keys = [await submitAt(month), await submitAt(before)]

    const scanned = await scans('print_job_event', async (tx) => {
      await sql`
        insert into print_job_event (print_job_key, sequence, transition, status, actor)
        select key, 2, 'release', 'VALIDATING', 'quarantine' from unnest(${keys}::uuid[]) key`.execute(
        tx,
      )
    })

    expect(scanned).toEqual({ [`print_job_event_${nameOfMonth(before)}`]: 1, [table]: 1 })
  })
})

test('letters whose key has no time pass all steps', async () => {
  const key = randomUUID()
  await saveSubmissions(pool, [aSubmission(consumer, { key, id: key })])

  await makePending(db, { key })

  expect(await findPrintJobEvents(db, consumer.consumerId, key)).toHaveLength(3)
})

import { londonDateOf } from '@despatch/domain/calendar/london'
import {
  type Capabilities,
  type ProductionCalendar,
  unrestrictedCapabilities,
} from '@despatch/domain/print-run/capabilities'
import { insertProvider } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { aDatabase } from '@despatch/testing/a-database'
import { someStandardParams } from '@despatch/testing/print-job-builders'
import { seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readDueToday } from '../src/figures/due-today.ts'

/** A Monday. */
const now = new Date('2026-03-09T12:00Z')
const calendar: ProductionCalendar = {
  weekdays: [1, 2, 3, 4, 5],
  bankHolidays: 'england-and-wales',
  closedOn: [],
  cutOff: '17:30',
  productionDays: 1,
  classes: [],
}
const none = { despatched: 0, 'in-production': 0, 'before-production': 0, 'at-risk': 0, overdue: 0 }

async function aFactory() {
  const database = await shared(aDatabase())
  await insertProvider(database.db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
  return database
}

async function keepCapabilities(db: Db, given: Partial<Capabilities> = {}, provider = 'north') {
  const capabilities = JSON.stringify({ ...unrestrictedCapabilities, calendar, ...given })
  await db
    .updateTable('print_site')
    .set({ capabilities })
    .where('provider_id', '=', provider)
    .execute()
}

test('counts the documents of print runs that are due today or earlier', async () => {
  const { db, url } = await aFactory()
  const runs = await shared(somePrintRuns(url))
  const set = (
    { batchNumber }: { batchNumber: string },
    dueOn: string,
    { leaseUntil = '2026-03-09T13:00Z', cutOffAt = '2026-03-06T17:30Z' } = {},
  ) =>
    db
      .updateTable('print_run')
      .set({
        expected_despatch_on: dueOn,
        cut_off_at: new Date(cutOffAt),
        lease_until: new Date(leaseUntil),
      })
      .where('batch_number', '=', batchNumber)
      .execute()
  const claimed = await runs.aClaimedRun(1)
  const lost = await runs.aClaimedRun(2)
  const late = await runs.anAcknowledgedRun(3)
  const tomorrow = await runs.aClaimedRun(4)
  const closed = await runs.aClaimedRun(5)
  const open = await runs.anOpenRun(6)
  await set(claimed, '2026-03-09')
  await set(lost, '2026-03-09', { leaseUntil: '2026-03-09T11:59Z' })
  await set(late, '2026-03-06')
  await set(tomorrow, '2026-03-10')
  await set(open, '2026-03-09', { cutOffAt: '2026-03-09T12:00Z' })
  await set(closed, '2026-03-09')
  await sql`
    insert into count_change (what, subject, state, count)
    values ('document', ${closed.batchNumber}, 'outstanding', -5), ('document', ${closed.batchNumber}, 'despatched', 5)`.execute(
    db,
  )
  await sql`
    update print_run set state = 'CLOSED', closed_at = now() where batch_number = ${closed.batchNumber}`.execute(
    db,
  )

  const letters = { despatched: 5, 'in-production': 1, 'before-production': 6 }
  expect(await readDueToday(db, now)).toEqual({
    date: '2026-03-09',
    letters: { ...letters, 'at-risk': 2, overdue: 3 },
    isMore: false,
  })
})

const friday = {
  created_at: new Date('2026-03-06T17:30Z'),
  updated_at: new Date('2026-03-06T18:00Z'),
}
const thursday = { created_at: new Date('2026-03-05T17:30Z') }
const pending = { status: 'PENDING', document_sha256: Buffer.alloc(32) } as const
const aLetterBy = (despatchMethod: string) => ({
  standard_params: JSON.stringify({ ...someStandardParams, despatchMethod }),
})

test('counts the letters in no print run that are due today or earlier, and no held ones', async () => {
  const { db } = await aFactory()
  await keepCapabilities(db, { despatchMethods: ['SECOND'] })
  const { printJob } = await seeder(db)
  // due today, and its cut-off is over
  await printJob(friday)
  await printJob({ ...friday, status: 'VALIDATING', parked_at: now })
  // our delay does not move the date
  await printJob({ ...friday, ...pending, updated_at: now })
  // due on Friday
  await printJob({ ...thursday, ...pending, updated_at: now })
  // due tomorrow: accepted after the cut-off, to be sent from a day on, released by its consumer
  await printJob({ created_at: new Date('2026-03-06T17:31Z') })
  await printJob({ ...thursday, not_before: new Date('2026-03-09T00:00Z') })
  await printJob({ ...thursday, hold_ended_at: new Date('2026-03-09T11:00Z') })
  // without a due date
  await printJob({ ...thursday, held_at: now, held_by: 'operator' })
  await printJob({ ...thursday, ...pending, updated_at: thursday.created_at, deleted_at: now })
  await printJob({ ...thursday, ...aLetterBy('FIRST') })

  expect(await readDueToday(db, now)).toEqual({
    date: londonDateOf(now),
    letters: { ...none, 'at-risk': 3, overdue: 1 },
    isMore: false,
  })
})

test('reads a bounded number of letters of each despatch method, those that are due first', async () => {
  const { db } = await aFactory()
  await keepCapabilities(db)
  const { printJob } = await seeder(db)
  for (let letters = 0; letters < 3; letters += 1) await printJob(friday)
  await printJob(thursday)
  await printJob({ ...friday, ...aLetterBy('FIRST') })
  // not due today, however many
  for (let letters = 0; letters < 5; letters += 1) await printJob({ created_at: now })

  const due = async (lettersMax: number) => {
    const { letters, isMore } = await readDueToday(db, now, lettersMax)
    return { overdue: letters.overdue, atRisk: letters['at-risk'], isMore }
  }
  expect(await due(5)).toEqual({ overdue: 1, atRisk: 4, isMore: false })
  expect(await due(2)).toEqual({ overdue: 1, atRisk: 2, isMore: true })
})

test('there may be more although no letter that was read is due', async () => {
  const { db } = await aFactory()
  // letters of more sheets are due earlier
  await insertProvider(db, { id: 'south', name: 'South', printLocations: ['SOUTH'] })
  await keepCapabilities(db, { sheetsMax: 5, calendar: { ...calendar, productionDays: 2 } })
  await keepCapabilities(db, {}, 'south')
  const { printJob } = await seeder(db)
  await printJob(friday)
  const later = { ...friday, created_at: new Date('2026-03-06T17:30:00.0005Z') }
  await printJob({ ...later, ...pending, document_sheets: 6 })

  expect(await readDueToday(db, now, 1)).toMatchObject({ letters: none, isMore: true })
  expect(await readDueToday(db, now)).toMatchObject({
    letters: { ...none, 'at-risk': 1 },
    isMore: false,
  })
})

test('reads the letters that are due by an index, however many others wait', async () => {
  const { db } = await aFactory()
  await keepCapabilities(db)
  const { printJob, consumerId, contractId } = await seeder(db)
  await printJob(friday)
  await sql`
    insert into print_job (key, consumer_id, id, contract_id, status, standard_params, callback_statuses, correlation_id,
      request_fingerprint, created_at, search_terms)
    select gen_random_uuid(), ${consumerId}, 'waits-' || number, ${contractId}, 'QUARANTINE',
      ${JSON.stringify(someStandardParams)}, '{}', 'correlation-1', '', ${now}, '{1}'
    from generate_series(1, 20000) number`.execute(db)

  const read = await db.transaction().execute(async (tx) => {
    const rowsRead = async () => {
      const { rows } = await sql<{ rows: number }>`
        select (seq_tup_read + idx_tup_fetch)::integer as rows
        from pg_stat_xact_user_tables where relname = 'print_job'`.execute(tx)
      return rows[0]!.rows
    }
    const before = await rowsRead()
    const due = await readDueToday(tx, now)
    return { due, rows: (await rowsRead()) - before }
  })

  expect(read.due).toMatchObject({ letters: { ...none, 'at-risk': 1 }, isMore: false })
  expect(read.rows).toBe(1)
})

test('only the sites that receive letters of the contract decide when they are due', async () => {
  const { db } = await aFactory()
  await insertProvider(db, { id: 'south', name: 'South', printLocations: ['SOUTH'] })
  await keepCapabilities(db)
  const slow: Partial<Capabilities> = { calendar: { ...calendar, productionDays: 5 } }
  const { printJob, contractId } = await seeder(db)
  await db.updateTable('contract').set({ plex: 'duplex' }).where('id', '=', contractId).execute()
  await printJob(friday)
  const atRisk = async () => (await readDueToday(db, now)).letters['at-risk']

  await keepCapabilities(db, slow, 'south')
  expect(await atRisk()).toBe(0)
  await keepCapabilities(db, { ...slow, plexes: ['simplex'] }, 'south')
  expect(await atRisk()).toBe(1)
  await keepCapabilities(db, slow, 'south')
  const away = { last_seen_at: friday.created_at, away_seconds_max: 60 }
  await db.updateTable('provider').set(away).where('id', '=', 'south').execute()
  expect(await atRisk()).toBe(1)
})

test('shows nothing where there is no site', async () => {
  const { db } = await shared(aDatabase())
  const { printJob } = await seeder(db)
  await printJob({ created_at: new Date('2026-03-02T12:00Z') })

  expect(await readDueToday(db, now)).toEqual({ date: '2026-03-09', letters: none, isMore: false })
})

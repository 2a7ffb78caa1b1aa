import { londonDateOf } from '@despatch/domain/calendar/london'
import {
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
import { readDueToday } from '../src/due-today.ts'

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

async function keepCalendar(db: Db, despatchMethods = unrestrictedCapabilities.despatchMethods) {
  const capabilities = JSON.stringify({ ...unrestrictedCapabilities, despatchMethods, calendar })
  await db.updateTable('print_site').set({ capabilities }).execute()
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
        ...{ expected_despatch_on: dueOn, cut_off_at: new Date(cutOffAt) },
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

  expect(await readDueToday(db, now)).toEqual({
    date: '2026-03-09',
    letters: {
      ...{ despatched: 5, 'in-production': 1, 'before-production': 6, 'at-risk': 2, overdue: 3 },
    },
    isMore: false,
  })
})

test('counts the letters in no print run that are due today or earlier, and no held ones', async () => {
  const { db } = await aFactory()
  await keepCalendar(db, ['SECOND'])
  const { printJob } = await seeder(db)
  const friday = {
    created_at: new Date('2026-03-06T17:29Z'),
    updated_at: new Date('2026-03-06T18:00Z'),
  }
  const thursday = { created_at: new Date('2026-03-05T17:29Z') }
  const monday = { created_at: new Date('2026-03-06T17:30Z') }
  const pending = { status: 'PENDING', document_sha256: Buffer.alloc(32) } as const
  // due today, and its cut-off is over
  await printJob(friday)
  await printJob({ ...friday, status: 'VALIDATING', parked_at: now })
  // due on Friday
  await printJob(thursday)
  // due tomorrow, since it became PENDING after the cut-off
  await printJob({ ...friday, ...pending })
  await printJob(monday)
  await printJob({ ...thursday, not_before: new Date('2026-03-10T00:00Z') })
  // without a due date
  await printJob({ ...thursday, held_at: now, held_by: 'operator' })
  await printJob({ ...thursday, ...pending, updated_at: thursday.created_at, deleted_at: now })
  const standardParams = { ...someStandardParams, despatchMethod: 'FIRST' }
  await printJob({ ...thursday, standard_params: JSON.stringify(standardParams) })

  expect(await readDueToday(db, now)).toEqual({
    date: londonDateOf(now),
    letters: { ...none, 'at-risk': 2, overdue: 1 },
    isMore: false,
  })
})

test('shows nothing where there is no site', async () => {
  const { db } = await shared(aDatabase())
  const { printJob } = await seeder(db)
  await printJob({ created_at: new Date('2026-03-02T12:00Z') })

  expect(await readDueToday(db, now)).toEqual({ date: '2026-03-09', letters: none, isMore: false })
})

import { randomUUID } from 'node:crypto'
import {
  type ProductionCalendar,
  unrestrictedCapabilities,
} from '@despatch/domain/print-run/capabilities'
import { insertProvider } from '@despatch/store/access/consumers'
import { aDatabase } from '@despatch/testing/a-database'
import { correctCounts } from '@despatch/testing/kept-counts'
import { aKeyAt, insertConsumer } from '@despatch/testing/print-job-builders'
import { seeder } from '@despatch/testing/seed-print-job'
import { shared } from '@despatch/testing/shared'
import { somePrintRuns } from '@despatch/testing/some-print-runs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { countSearched } from '../src/operations/count-print-jobs.ts'
import { addDue } from '../src/print-job/due.ts'
import {
  type PrintJobSearch,
  type SearchLimits,
  searchPrintJobs,
} from '../src/print-job/search-print-jobs.ts'

/** A Monday, before the cut-off. */
const at = new Date('2026-03-09T12:00Z')
const calendar: ProductionCalendar = {
  weekdays: [1, 2, 3, 4, 5],
  bankHolidays: 'england-and-wales',
  closedOn: [],
  cutOff: '17:30',
  productionDays: 1,
  classes: [],
}
const { db, url } = await shared(aDatabase())
await insertProvider(db, { id: 'north', name: 'North', printLocations: ['NORTH'] })
const runs = await shared(somePrintRuns(url))
const seed = await seeder(db)

// runs first: the site has no calendar yet
async function aRun(dueOn: string, documents: number, leaseUntil = '2026-03-09T13:00Z') {
  const { batchNumber } = await runs.aClaimedRun(documents)
  const cut_off_at = new Date('2026-03-05T17:30Z')
  await db
    .updateTable('print_run')
    .set({ expected_despatch_on: dueOn, cut_off_at, lease_until: new Date(leaseUntil) })
    .where('batch_number', '=', batchNumber)
    .execute()
  return batchNumber
}
const overdue = await aRun('2026-03-06', 1)
const today = await aRun('2026-03-09', 2, '2026-03-09T11:00Z')
const tomorrow = await aRun('2026-03-10', 1)
const capabilities = JSON.stringify({ ...unrestrictedCapabilities, calendar })
await db.updateTable('print_site').set({ capabilities }).execute()

type Given = Parameters<typeof seed.printJob>[0]
const keyOf = new Map<string, string>()

async function aLetter(name: string, acceptedAt: string, given: Given = {}) {
  const created_at = new Date(acceptedAt)
  const key = given?.status === 'REJECTED' ? anEndedKey() : aKeyAt(created_at)
  await seed.printJob({ key, id: name, created_at, updated_at: created_at, ...given })
  keyOf.set(name, key)
}

/** Ended print jobs have keys after those of all others. */
const anEndedKey = () => `f${randomUUID().slice(1)}`

const document = { document_sha256: Buffer.alloc(32) }
await aLetter('late', '2026-03-05T10:00Z')
await aLetter('missed', '2026-03-06T10:00Z', { status: 'PENDING', ...document })
await aLetter('parked', '2026-03-09T10:00Z', { status: 'VALIDATING', parked_at: at })
await aLetter('early', '2026-03-09T10:00Z')
await aLetter('held', '2026-03-05T10:00Z', { held_at: at, held_by: 'operator' })
await aLetter('deleted', '2026-03-06T09:00Z', { status: 'PENDING', ...document, deleted_at: at })
await aLetter('rejected', '2026-03-05T10:00Z', { status: 'REJECTED', comment: 'No postcode.' })
await aLetter('otherwise', '2026-03-04T10:00Z', { status: 'REJECTED' })
for (const [name, rule] of [
  ['rejected', 'file-missing'],
  ['otherwise', 'file-empty'],
] as const) {
  const findings = JSON.stringify([
    { rule, severity: 'refusal', detail: 'No.' },
    { rule: 'pdf-damaged', severity: 'note', detail: 'Hm.' },
  ])
  await sql`
    insert into print_job_event (print_job_key, sequence, transition, status, at, actor, findings)
    values (${keyOf.get(name)}, 1, 'reject', 'REJECTED', now(), 'test', ${findings}::jsonb)`.execute(
    db,
  )
}
await correctCounts(db)

async function namesFound(
  search: Omit<PrintJobSearch, 'jobsMax'>,
  limits: SearchLimits = {},
): Promise<string[]> {
  const { printJobs } = await searchPrintJobs(db, { jobsMax: 100, ...search }, { at, ...limits })
  return printJobs.map(({ id, batchNumber }) => batchNumber ?? id).toSorted()
}

test.each<[what: string, search: Omit<PrintJobSearch, 'jobsMax'>, names: string[]]>([
  [
    'accepted from a time',
    { createdFrom: new Date('2026-03-06T10:00Z'), createdTo: at },
    ['early', 'missed', 'parked'],
  ],
  [
    'in a final and another status, not deleted',
    { statuses: ['PENDING', 'REJECTED'] },
    ['missed', 'otherwise', 'rejected'],
  ],
  ['in a status, not deleted', { statuses: ['PENDING'], createdTo: at }, ['missed']],
  [
    'accepted before a time',
    { createdFrom: new Date('2026-03-04T00:00Z'), createdTo: new Date('2026-03-06T10:00Z') },
    ['deleted', 'held', 'late'],
  ],
  ['due today', { dueFrom: '2026-03-09', dueTo: '2026-03-09' }, [today, today, 'missed']],
  ['due until today', { dueTo: '2026-03-09' }, [overdue, today, today, 'late', 'missed']],
  ['due from tomorrow', { dueFrom: '2026-03-10' }, [tomorrow, 'early', 'parked']],
  ['overdue', { only: 'overdue' }, [overdue, 'late']],
  ['at risk', { only: 'at-risk' }, [today, today, 'missed', 'parked']],
  [
    'at risk and in a status',
    { only: 'at-risk', statuses: ['PENDING', 'VALIDATING'] },
    ['missed', 'parked'],
  ],
  [
    'in several statuses',
    { statuses: ['VALIDATING', 'REJECTED'] },
    ['otherwise', 'parked', 'rejected'],
  ],
  ['rejected for a rule', { rule: 'P107' }, ['rejected']],
  ['rejected for a rule that was a note', { rule: 'P201' }, []],
])('%s', async (_what, search, names) => {
  const expected = names.toSorted()

  expect(await namesFound(search)).toEqual(expected)
  // as if there were many
  for (const many of [{ rareMax: 1 }, { rareMax: 1, sortedMax: 1 }]) {
    expect(await namesFound(search, many)).toEqual(expected)
    expect(await namesFound({ ...search, isOldestFirst: true }, many)).toEqual(expected)
  }
  const count = { count: expected.length, isAtLeast: false }
  expect(await countSearched(db, search, { at })).toEqual(count)
})

const exactly = (count: number) => ({ count, isAtLeast: false })
const atLeast = (count: number) => ({ count, isAtLeast: true })

test('counts matches up to a limit, and all print jobs of a status', async () => {
  const statuses = ['REJECTED'] as const

  expect(await countSearched(db, {}, { at, rareMax: 2 })).toEqual(atLeast(2))
  expect(await countSearched(db, { only: 'overdue' }, { at, rareMax: 1 })).toEqual(atLeast(1))
  expect((await countSearched(db, {}, { at, lookedThroughMax: 3 })).isAtLeast).toBe(true)
  expect(await countSearched(db, { statuses }, { rareMax: 1 })).toEqual(exactly(2))
  const { consumerId } = await insertConsumer(db)
  expect(await countSearched(db, { statuses, consumerId })).toEqual(exactly(0))
})

test('each print job has its due date and its lateness', async () => {
  const { printJobs } = await searchPrintJobs(db, { jobsMax: 100 }, { at })
  const shown = (await addDue(db, printJobs, at)).map(
    ({ id, batchNumber, dueDate, lateness }) => [batchNumber ?? id, dueDate, lateness] as const,
  )

  const expected = [
    [overdue, '2026-03-06', 'overdue'],
    [today, '2026-03-09', 'at-risk'],
    [tomorrow, '2026-03-10', 'in-production'],
    ['late', '2026-03-06', 'overdue'],
    ['missed', '2026-03-09', 'at-risk'],
    ['parked', '2026-03-10', 'at-risk'],
    ['early', '2026-03-10', 'before-production'],
    ...['held', 'deleted', 'rejected', 'otherwise'].map((name) => [name, null, null]),
  ]
  expect(new Set(shown.map(String))).toEqual(new Set(expected.map(String)))
})

test('a removed recipient, postcode and comment are not shown', async () => {
  const { consumerId, contractId } = await insertConsumer(db)
  const given = { consumer_id: consumerId, contract_id: contractId, comment: 'No postcode.' }
  await seed.printJob({ key: anEndedKey(), ...given, status: 'REJECTED' })
  await seed.printJob({ key: anEndedKey(), ...given, status: 'REJECTED', purge_began_at: at })

  const { printJobs } = await searchPrintJobs(db, { consumerId, jobsMax: 10 }, { at })

  const shown = printJobs.map(({ postcode, comment, recipientName }) => [
    ...[postcode, comment],
    recipientName !== null,
  ])
  expect(shown.toSorted()).toEqual([
    [null, null, false],
    ['AB1 2CD', 'No postcode.', true],
  ])
})

test('counts the print jobs that match all filters, not only those of an index', async () => {
  const { consumerId, contractId } = await insertConsumer(db)
  const of = { consumer_id: consumerId, contract_id: contractId }
  for (const day of ['01', '02']) await aLetter(`of-${day}`, `2026-03-${day}T10:00Z`, of)
  const statuses = ['QUARANTINE'] as const
  const ofOneDay = {
    createdFrom: new Date('2026-03-01T00:00Z'),
    createdTo: new Date('2026-03-02T00:00Z'),
  }
  const limits = { at, rareMax: 1 }

  // the newest in QUARANTINE are of others
  expect(await countSearched(db, { statuses, ...ofOneDay }, limits)).toEqual(exactly(1))
  const search = { statuses, consumerId, createdTo: at }
  await correctCounts(db)
  const few = { ...limits, rareMax: 2, lookedThroughMax: 5 }
  const fewer = { ...few, sortedMax: 1 }
  expect(await countSearched(db, search, few)).toEqual(exactly(2))
  expect(await countSearched(db, search, fewer)).toEqual(atLeast(0))
  expect(await countSearched(db, search, { at })).toEqual(exactly(2))
  const none = { ...search, consumerId: (await insertConsumer(db)).consumerId }
  expect(await countSearched(db, none, fewer)).toEqual(exactly(0))
})

test.each<[what: string, search: Omit<PrintJobSearch, 'jobsMax'>]>([
  ['the oldest in a status', { statuses: ['QUARANTINE'], isOldestFirst: true }],
  ['overdue', { only: 'overdue' }],
  ['at risk', { only: 'at-risk' }],
  ['due on a date', { dueFrom: '2026-03-09', dueTo: '2026-03-09' }],
])('with many letters, %s, each page reads only letters of the list', async (_what, search) => {
  const all = await searchPrintJobs(db, { ...search, jobsMax: 100 }, { at })

  const pages = await pagesOf({ ...search, jobsMax: 1 }, { lookedThroughMax: 1 })

  expect(all.printJobs.length).toBeGreaterThan(1)
  expect(pages.flat()).toEqual(all.printJobs.map(({ key }) => key))
  // only the page after the last letter is empty
  expect(pages.filter(({ length }) => length === 0)).toHaveLength(1)
})

test('with many letters at risk for two reasons, no page omits a letter', async () => {
  for (const name of ['stuck', 'stuck-too']) {
    await aLetter(name, '2026-03-06T10:30Z', { status: 'VALIDATING', parked_at: at })
  }
  const all = await searchPrintJobs(db, { only: 'at-risk', jobsMax: 100 }, { at })

  const pages = await pagesOf({ only: 'at-risk', jobsMax: 3 }, { lookedThroughMax: 3 })

  expect(pages.flat()).toEqual(all.printJobs.map(({ key }) => key))
})

/** Returns the keys on each page, as if there were many. */
async function pagesOf(search: PrintJobSearch, limits: SearchLimits): Promise<string[][]> {
  const pages: string[][] = []
  let before: string | undefined
  do {
    const page = await searchPrintJobs(db, { ...search, before }, { at, rareMax: 1, ...limits })
    pages.push(page.printJobs.map(({ key }) => key))
    before = page.nextBefore
  } while (before !== undefined)
  return pages
}

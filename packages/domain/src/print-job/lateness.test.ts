import { expect, test } from 'vitest'
import { readyUntil } from '../calendar/due-date.ts'
import type { ProductionCalendar } from '../print-run/capabilities.ts'
import {
  addToPrintCounts,
  type DocumentStage,
  type DueRun,
  type Lateness,
  latenessInRun,
  latenessOfWaiting,
} from './lateness.ts'

const calendar: ProductionCalendar = {
  weekdays: [1, 2, 3, 4, 5],
  bankHolidays: 'england-and-wales',
  closedOn: [],
  cutOff: '17:30',
  productionDays: 1,
  lastCollection: '18:00',
  classes: [],
}
const site = { calendar, maintenance: [] }

/** Gathered for Friday's cut-off, and despatched on Monday. */
const released: DueRun = {
  state: 'RELEASED',
  despatchMethod: 'SECOND',
  dueOn: '2026-03-09',
  cutOffAt: new Date('2026-03-06T17:30Z'),
  leaseUntil: null,
  site,
  toPrintCount: 100,
}
const open: DueRun = { ...released, state: 'OPEN' }
const claimed: DueRun = {
  ...released,
  state: 'CLAIMED',
  leaseUntil: new Date('2026-03-09T09:00Z'),
}
const accepted: DueRun = { ...claimed, state: 'ACCEPTED', leaseUntil: null }
const limited = (documentsPerDayMax: number) => ({ ...site, documentsPerDayMax })

type Row = [what: string, run: DueRun, stage: DocumentStage, at: string, lateness: Lateness]

test.each<Row>([
  ['gathers', open, 'waiting', '2026-03-06T12:00Z', 'before-production'],
  ['is being released', open, 'waiting', '2026-03-06T17:39Z', 'before-production'],
  ['is not released in time', open, 'waiting', '2026-03-06T17:40Z', 'at-risk'],
  ['waits over the weekend', released, 'waiting', '2026-03-08T23:59Z', 'before-production'],
  ['is not claimed in half of its time', released, 'waiting', '2026-03-09T06:00Z', 'at-risk'],
  ['is still not claimed after its day', released, 'waiting', '2026-03-10T00:00Z', 'overdue'],
  ['has a lease', claimed, 'waiting', '2026-03-09T08:59Z', 'in-production'],
  ['lost its lease', claimed, 'waiting', '2026-03-09T09:00Z', 'at-risk'],
  ['is refused', { ...accepted, state: 'REFUSED' }, 'waiting', '2026-03-06T18:00Z', 'at-risk'],
  ['is printed', accepted, 'waiting', '2026-03-09T17:59Z', 'in-production'],
  ['missed the last collection', accepted, 'waiting', '2026-03-09T18:00Z', 'at-risk'],
  ['is posted in time', accepted, 'posted', '2026-03-09T18:00Z', 'in-production'],
  ['is reported in the night', accepted, 'posted', '2026-03-10T11:59Z', 'in-production'],
  ['is not reported', accepted, 'posted', '2026-03-10T12:00Z', 'overdue'],
  ['is not posted in the night', accepted, 'waiting', '2026-03-10T11:59Z', 'at-risk'],
  ['is despatched late', accepted, 'despatched', '2026-03-12T12:00Z', 'despatched'],
  [
    // 9 hours are left, and 100 documents take 8
    'is within the capacity of its site',
    { ...accepted, site: limited(300) },
    'waiting',
    '2026-03-09T09:00Z',
    'in-production',
  ],
  [
    'is more than its site can print',
    { ...accepted, site: limited(250) },
    'waiting',
    '2026-03-09T09:00Z',
    'at-risk',
  ],
  [
    'has no last collection, until its day ends',
    { ...accepted, site: { maintenance: [] } },
    'waiting',
    '2026-03-09T23:59Z',
    'in-production',
  ],
  [
    // summer time begins on 29 March: the last collection is at 17:00 UTC
    'missed the last collection of summer time',
    { ...accepted, dueOn: '2026-03-30' },
    'waiting',
    '2026-03-30T17:00Z',
    'at-risk',
  ],
])('a document whose run %s', (_what, run, stage, at, lateness) => {
  expect(latenessInRun(run, stage, new Date(at))).toBe(lateness)
})

test.each<[what: string, dueOn: string, isParked: boolean, at: string, lateness: Lateness]>([
  ['waits', '2026-03-09', false, '2026-03-06T17:39Z', 'before-production'],
  ['missed its cut-off', '2026-03-09', false, '2026-03-06T17:40Z', 'at-risk'],
  ['is parked', '2026-03-09', true, '2026-03-06T12:00Z', 'at-risk'],
  ['is due before Easter ends', '2026-04-07', false, '2026-04-06T12:00Z', 'at-risk'],
  ['missed its day', '2026-03-09', true, '2026-03-10T00:00Z', 'overdue'],
  ['missed its day of summer time', '2026-03-30', false, '2026-03-30T23:00Z', 'overdue'],
])('a letter in no run that %s', (_what, dueOn, isParked, at, lateness) => {
  const lastCutOffAt = readyUntil([site], 'SECOND', dueOn)!

  expect(latenessOfWaiting({ dueOn, lastCutOffAt, isParked }, new Date(at))).toBe(lateness)
})

test('a site must print what is due on the date of a run or earlier', () => {
  const runs = [
    { batchNumber: 'R1', printLocation: 'leeds', dueOn: '2026-03-09', waiting: 5 },
    { batchNumber: 'R2', printLocation: 'leeds', dueOn: '2026-03-06', waiting: 3 },
    { batchNumber: 'R3', printLocation: 'hull', dueOn: '2026-03-06', waiting: 7 },
    { batchNumber: 'R4', printLocation: 'leeds', dueOn: '2026-03-06', waiting: 1 },
  ].map((run) => ({ ...run, providerId: 'p' }))

  const counts = addToPrintCounts(runs).map(({ batchNumber, toPrintCount }) => [
    batchNumber,
    toPrintCount,
  ])

  expect(Object.fromEntries(counts)).toEqual({ R1: 9, R2: 4, R4: 4, R3: 7 })
})

import { expect, test } from 'vitest'
import { dueDatesAt, siteDatesOf } from '../calendar/due-date.ts'
import type { ProductionCalendar } from '../print-run/capabilities.ts'
import {
  addToPrintCounts,
  type DocumentStage,
  type DueRun,
  type Lateness,
  latenessInRun,
  latenessOfWaiting,
  missedUntil,
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
const dueDates = dueDatesAt([siteDatesOf(site, 'SECOND')!])

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
/** It has had more than half of its time before Monday. */
const ofThursday: DueRun = { ...released, cutOffAt: new Date('2026-03-05T17:30Z') }
const open: DueRun = { ...released, state: 'OPEN' }
const claimed: DueRun = {
  ...released,
  state: 'CLAIMED',
  leaseUntil: new Date('2026-03-09T09:00Z'),
}
const accepted: DueRun = { ...claimed, state: 'ACCEPTED', leaseUntil: null }
const refused: DueRun = { ...accepted, state: 'REFUSED' }
const limited = (documentsPerDayMax: number) => ({ ...site, documentsPerDayMax })

type Row = [what: string, run: DueRun, stage: DocumentStage, at: string, lateness: Lateness]

test.each<Row>([
  ['gathers', open, 'waiting', '2026-03-06T12:00Z', 'before-production'],
  ['is being released', open, 'waiting', '2026-03-06T17:39Z', 'before-production'],
  ['is not released in time', open, 'waiting', '2026-03-06T17:40Z', 'at-risk'],
  [
    'gathers for no cut-off',
    { ...open, cutOffAt: null },
    'waiting',
    '2026-03-06T17:40Z',
    'before-production',
  ],
  [
    'is released for no cut-off',
    { ...released, cutOffAt: null },
    'waiting',
    '2026-03-09T17:00Z',
    'before-production',
  ],
  ['is released before its cut-off', released, 'waiting', '2026-03-06T12:00Z', 'before-production'],
  ['waits over the weekend', released, 'waiting', '2026-03-08T23:59Z', 'before-production'],
  // from Friday 17:30 to Monday 18:00 are 24.5 hours without the weekend
  ['has had half of its time', released, 'waiting', '2026-03-09T05:45Z', 'before-production'],
  ['is not claimed in half of its time', released, 'waiting', '2026-03-09T05:45:01Z', 'at-risk'],
  ['waits for its day', ofThursday, 'waiting', '2026-03-08T23:59:59Z', 'before-production'],
  ['is not claimed when its day begins', ofThursday, 'waiting', '2026-03-09T00:00Z', 'at-risk'],
  ['is still not claimed after its day', released, 'waiting', '2026-03-10T00:00Z', 'overdue'],
  ['has a lease', claimed, 'waiting', '2026-03-09T08:59Z', 'in-production'],
  ['lost its lease', claimed, 'waiting', '2026-03-09T09:00Z', 'at-risk'],
  [
    'has a lease without an end',
    { ...claimed, leaseUntil: null },
    'waiting',
    '2026-03-09T10:00Z',
    'in-production',
  ],
  [
    'was accepted before its lease ended',
    { ...claimed, state: 'ACCEPTED' },
    'waiting',
    '2026-03-09T10:00Z',
    'in-production',
  ],
  ['is refused', refused, 'waiting', '2026-03-09T12:00Z', 'at-risk'],
  ['is refused, and its day is over', refused, 'waiting', '2026-03-10T00:00Z', 'overdue'],
  ['is printed', accepted, 'waiting', '2026-03-09T17:59Z', 'in-production'],
  ['missed the last collection', accepted, 'waiting', '2026-03-09T18:00Z', 'at-risk'],
  ['is posted in time', accepted, 'posted', '2026-03-09T18:00Z', 'in-production'],
  ['is reported in the night', accepted, 'posted', '2026-03-10T11:59Z', 'in-production'],
  ['is not reported', accepted, 'posted', '2026-03-10T12:00Z', 'overdue'],
  [
    'has nothing left to report',
    { ...accepted, state: 'RECONCILED' },
    'posted',
    '2026-03-12T12:00Z',
    'in-production',
  ],
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
    // 9 hours are left, and 90 documents take 9
    'takes all the time that is left',
    { ...accepted, site: limited(240), toPrintCount: 90 },
    'waiting',
    '2026-03-09T09:00Z',
    'in-production',
  ],
  [
    'is for a site that can print nothing in a day',
    { ...accepted, site: limited(0), toPrintCount: 1 },
    'waiting',
    '2026-03-09T09:00Z',
    'at-risk',
  ],
  [
    'is more than its site can print',
    { ...accepted, site: limited(250) },
    'waiting',
    '2026-03-09T09:00Z',
    'at-risk',
  ],
  [
    // its documents may still be gathered elsewhere
    'gathers more than its site can print',
    { ...open, site: limited(1) },
    'waiting',
    '2026-03-06T12:00Z',
    'before-production',
  ],
  [
    'has no last collection, until its day ends',
    { ...accepted, site: { maintenance: [] } },
    'waiting',
    '2026-03-09T23:59Z',
    'in-production',
  ],
])('has a lateness: a document whose run %s', (_what, run, stage, at, lateness) => {
  expect(latenessInRun(run, stage, new Date(at))).toBe(lateness)
})

test.each<Row>([
  [
    // summer time begins on 29 March: the last collection is at 17:00 UTC
    'missed the last collection of summer time',
    { ...accepted, dueOn: '2026-03-30' },
    'waiting',
    '2026-03-30T17:00Z',
    'at-risk',
  ],
  [
    // summer time begins in that night, and ends in the other
    'is reported in the night of a clock change',
    { ...accepted, dueOn: '2026-03-28' },
    'posted',
    '2026-03-29T10:59Z',
    'in-production',
  ],
  [
    'is not reported by noon after summer time began',
    { ...accepted, dueOn: '2026-03-28' },
    'posted',
    '2026-03-29T11:00Z',
    'overdue',
  ],
  [
    'is not reported by noon after summer time ended',
    { ...accepted, dueOn: '2026-10-24' },
    'posted',
    '2026-10-25T12:00Z',
    'overdue',
  ],
])(
  'has a lateness at a clock change: a document whose run %s',
  (_what, run, stage, at, lateness) => {
    expect(latenessInRun(run, stage, new Date(at))).toBe(lateness)
  },
)

test.each<[what: string, dueOn: string, isParked: boolean, at: string, lateness: Lateness]>([
  ['waits', '2026-03-09', false, '2026-03-06T17:40:00.000Z', 'before-production'],
  ['missed its cut-off', '2026-03-09', false, '2026-03-06T17:40:00.001Z', 'at-risk'],
  ['is parked', '2026-03-09', true, '2026-03-06T12:00Z', 'at-risk'],
  ['is due before Easter ends', '2026-04-07', false, '2026-04-06T12:00Z', 'at-risk'],
  ['missed its day', '2026-03-09', true, '2026-03-10T00:00Z', 'overdue'],
  ['missed its day of summer time', '2026-03-30', false, '2026-03-30T23:00Z', 'overdue'],
])('has a lateness: a letter without a run that %s', (_what, dueOn, isParked, at, lateness) => {
  const until = dueDates.readyUntil(dueOn)!

  expect(latenessOfWaiting({ dueOn, until, isParked }, new Date(at))).toBe(lateness)
})

test.each<[what: string, now: string, until: string]>([
  ['on a weekend, those of Friday', '2026-03-08T12:00Z', '2026-03-06T17:30:00.001Z'],
  ['ten minutes after a cut-off, its own', '2026-03-09T17:41Z', '2026-03-09T17:30:00.001Z'],
  ['until then, those before', '2026-03-09T17:40Z', '2026-03-06T17:30:00.001Z'],
  ['at Easter, those before it', '2026-04-06T12:00Z', '2026-04-02T16:30:00.001Z'],
  ['at Christmas, those before it', '2026-12-28T12:00Z', '2026-12-24T17:30:00.001Z'],
])('letters that miss their date are %s', (_what, now, until) => {
  const at = new Date(now)

  const missed = missedUntil(dueDates, at)!

  expect(missed).toEqual(new Date(until))
  // the rule of a single letter agrees, on both sides
  const latenessAt = (readyAt: Date) =>
    latenessOfWaiting({ ...dueDates.periodOf(readyAt)!, isParked: false }, at)
  expect(latenessAt(new Date(+missed - 1))).not.toBe('before-production')
  expect(latenessAt(missed)).toBe('before-production')
})

test('no letter misses a date where no site produces', () => {
  expect(missedUntil(dueDatesAt([]), new Date('2026-03-09T12:00Z'))).toBeUndefined()
})

test('a site must print all letters that are due on the date of a run or earlier', () => {
  const runs = [
    { batchNumber: 'R1', printLocation: 'leeds', dueOn: '2026-03-09', waiting: 5 },
    { batchNumber: 'R2', printLocation: 'leeds', dueOn: '2026-03-06', waiting: 3 },
    { batchNumber: 'R3', printLocation: 'hull', dueOn: '2026-03-06', waiting: 7 },
    { batchNumber: 'R4', printLocation: 'leeds', dueOn: '2026-03-06', waiting: 1 },
  ].map((run) => ({ ...run, providerId: 'p' }))

  for (const inAnyOrder of [runs, runs.toReversed()]) {
    const counts = addToPrintCounts(inAnyOrder).map(({ batchNumber, toPrintCount }) => [
      batchNumber,
      toPrintCount,
    ])

    expect(Object.fromEntries(counts)).toEqual({ R1: 9, R2: 4, R4: 4, R3: 7 })
  }
})

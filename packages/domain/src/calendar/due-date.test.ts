import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bankHolidayDivisions,
  type MaintenanceWindow,
  type ProductionCalendar,
  type Weekday,
} from '../print-run/capabilities.ts'
import type { WorkingTimes } from './cut-off.ts'
import { dueDatesAt, siteDatesOf } from './due-date.ts'

/** Monday to Friday, cut-off at half past five, posted on the next working day. */
const office: ProductionCalendar = {
  weekdays: [1, 2, 3, 4, 5],
  bankHolidays: 'england-and-wales',
  closedOn: [],
  cutOff: '17:30',
  productionDays: 1,
  classes: [],
}
const siteWith = (
  calendar: ProductionCalendar,
  ...maintenance: MaintenanceWindow[]
): WorkingTimes => ({ calendar, maintenance })
const dueDatesOf = (sites: readonly WorkingTimes[]) =>
  dueDatesAt(sites.map((site) => siteDatesOf(site, 'SECOND')!))
const atOffice = [siteWith(office)]
const slower = siteWith({ ...office, productionDays: 2 })
const always: WorkingTimes = { maintenance: [] }
const march = { from: '2026-03-01T00:00Z', until: '2026-04-01T00:00Z' }
const monday = { from: '2026-03-09T00:00Z', until: '2026-03-10T00:00Z' }
const saturdays = siteWith({
  ...office,
  weekdays: [1, 2, 3, 4, 5, 6],
  classes: [{ despatchMethod: 'SECOND', weekdays: [6], cutOff: '09:00', productionDays: 0 }],
})

test.each<[what: string, sites: WorkingTimes[], readyAt: string, dueOn: string]>([
  ['a minute before the cut-off', atOffice, '2026-03-04T17:29Z', '2026-03-05'],
  ['at the cut-off', atOffice, '2026-03-04T17:30Z', '2026-03-05'],
  ['after the cut-off', atOffice, '2026-03-04T17:30:00.001Z', '2026-03-06'],
  ['before a weekend', atOffice, '2026-03-06T10:00Z', '2026-03-09'],
  ['on a weekend', atOffice, '2026-03-07T10:00Z', '2026-03-10'],
  ['before the bank holidays of Easter', atOffice, '2026-04-02T10:00Z', '2026-04-07'],
  ['a minute before the cut-off of summer time', atOffice, '2026-03-30T16:29Z', '2026-03-31'],
  ['after the cut-off of summer time', atOffice, '2026-03-30T16:31Z', '2026-04-01'],
  ['before Christmas', atOffice, '2026-12-24T17:00Z', '2026-12-29'],
  ['with a slower site', [siteWith(office), slower], '2026-03-04T10:00Z', '2026-03-06'],
  ['without a calendar, the London day', [always], '2026-07-01T23:30Z', '2026-07-02'],
  ['with values of its despatch method', [saturdays], '2026-03-04T10:00Z', '2026-03-07'],
  [
    'during maintenance of another site',
    [siteWith(office), siteWith(office, march)],
    '2026-03-05T10:00Z',
    '2026-03-06',
  ],
  [
    'during maintenance of a slower site',
    [siteWith(office), { ...slower, maintenance: [march] }],
    '2026-03-05T10:00Z',
    '2026-03-09',
  ],
  [
    'before maintenance of another site',
    [siteWith(office), siteWith(office, march)],
    '2026-02-27T10:00Z',
    '2026-03-02',
  ],
  ['during maintenance of all', [siteWith(office, monday)], '2026-03-09T10:00Z', '2026-03-11'],
  ['with a day of maintenance', [siteWith(office, monday)], '2026-03-06T10:00Z', '2026-03-10'],
])('a letter is due on the right date: %s', (_, sites, readyAt, dueOn) => {
  expect(dueDatesOf(sites).periodOf(new Date(readyAt))?.dueOn).toBe(dueOn)
})

test('a despatch method that no site produces has no due date', () => {
  const never = siteWith({ ...office, classes: [{ despatchMethod: 'ECONOMY', weekdays: [7] }] })

  expect(siteDatesOf(never, 'ECONOMY')).toBeUndefined()
  expect(dueDatesOf([]).periodOf(new Date('2026-03-04T10:00Z'))).toBeUndefined()
  expect(dueDatesOf([]).readyUntil('2026-03-04')).toBeUndefined()
})

test.each<[what: string, sites: WorkingTimes[], date: string, until: string]>([
  ['the cut-off of the day before', atOffice, '2026-03-05', '2026-03-04T17:30:00.001Z'],
  ['over a weekend, that of Friday', atOffice, '2026-03-09', '2026-03-06T17:30:00.001Z'],
  ['on a Sunday, that of Thursday', atOffice, '2026-03-08', '2026-03-05T17:30:00.001Z'],
  ['of the slower site', [siteWith(office), slower], '2026-03-06', '2026-03-04T17:30:00.001Z'],
  [
    'of the site without maintenance',
    [siteWith(office), siteWith(office, march)],
    '2026-03-05',
    '2026-03-04T17:30:00.001Z',
  ],
  ['without a calendar, the end of the day', [always], '2026-07-02', '2026-07-02T23:00Z'],
])('letters of a due date are ready until %s', (_, sites, date, until) => {
  expect(dueDatesOf(sites).readyUntil(date)).toEqual(new Date(until))
})

test.each([
  ['2026-03-04T17:30:01Z', '2026-03-04T17:30:00.001Z'],
  ['2026-03-04T17:30:00Z', undefined],
])('with maintenance from %s, about 400 days before, letters are ready until %s', (from, until) => {
  const sameDay: ProductionCalendar = {
    ...office,
    weekdays: [1, 2, 3, 4, 5, 6, 7],
    bankHolidays: 'none',
    productionDays: 0,
  }
  const site = siteWith(sameDay, { from, until: '2027-05-01T00:00Z' })

  expect(dueDatesOf([site]).readyUntil('2027-04-08')).toEqual(until && new Date(until))
})

test('a letter has no due date if no site has a cut-off in the next 400 days', () => {
  const closed = siteWith(office, { from: '2026-01-01T00:00Z', until: '2028-01-01T00:00Z' })
  const readyAt = new Date('2026-03-04T10:00Z')
  const dueDates = dueDatesOf([closed])

  expect(dueDates.periodOf(readyAt)).toBeUndefined()
  expect(dueDates.periodOf(readyAt)).toBeUndefined()
  expect(dueDatesOf([closed, siteWith(office)]).periodOf(readyAt)?.dueOn).toBe('2026-03-05')
})

test.each<[weekdays: Weekday[], isProduced: boolean]>([
  [[5, 6], true],
  [[6, 7], false],
])(
  'a site that works from Monday to Friday produces a class of the days %j: %s',
  (weekdays, isProduced) => {
    const site = siteWith({ ...office, classes: [{ despatchMethod: 'SECOND', weekdays }] })

    expect(siteDatesOf(site, 'SECOND') !== undefined).toBe(isProduced)
  },
)

test('the due date of a letter does not depend on letters that were asked for before', () => {
  const dueDates = dueDatesOf(atOffice)
  const dueOn = (readyAt: string) => dueDates.periodOf(new Date(readyAt))?.dueOn

  expect(dueOn('2026-03-06T10:00Z')).toBe('2026-03-09')
  expect(dueOn('2026-03-05T17:30Z')).toBe('2026-03-06')
  expect(dueOn('2026-03-06T17:30:00.001Z')).toBe('2026-03-10')
})

test('searches the calendar of a site once for all letters that are due on a date', () => {
  let reads = 0
  const site: WorkingTimes = {
    get calendar() {
      reads += 1
      return office
    },
    maintenance: [],
  }
  const dueDates = dueDatesOf([site])
  const dueOn = (readyAt: string) => dueDates.periodOf(new Date(readyAt))?.dueOn
  expect(dueOn('2026-03-06T10:00Z')).toBe('2026-03-09')
  reads = 0

  expect([dueOn('2026-03-05T17:30:00.001Z'), dueOn('2026-03-06T17:30Z')]).toEqual([
    '2026-03-09',
    '2026-03-09',
  ])
  dueDates.readyUntil('2026-03-09')
  expect(reads).toBe(0)
})

test('a site without maintenance is searched only once', () => {
  const { kept, planned } = siteDatesOf(siteWith(office), 'SECOND')!

  expect(planned).toBe(kept)
})

test('a letter is due on a date or earlier exactly if it is ready before the limit of that date', () => {
  const day = (days: number) => new Date(Date.UTC(2026, 2, 1 + days)).toISOString().slice(0, 10)
  const aCalendar = fc.record({
    weekdays: fc.subarray<Weekday>([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
    bankHolidays: fc.constantFrom(...bankHolidayDivisions, 'none' as const),
    closedOn: fc.subarray(['2026-03-05', '2026-03-30']),
    cutOff: fc.constantFrom('01:30', '17:30', '23:59'),
    productionDays: fc.integer({ min: 0, max: 4 }),
    classes: fc.constant([]),
  })
  const aMaintenance = fc
    .record({ from: fc.integer({ min: 0, max: 60 }), days: fc.integer({ min: 1, max: 20 }) })
    .map(({ from, days }) => ({ from: `${day(from)}T12:00Z`, until: `${day(from + days)}T00:00Z` }))
  const aSite = fc.record({
    calendar: aCalendar,
    maintenance: fc.array(aMaintenance, { maxLength: 2 }),
  })
  fc.assert(
    fc.property(
      fc.array(aSite, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: -15 * 1_440, max: 15 * 1_440 }),
      (sites, days, minutes) => {
        const date = day(days)
        const readyAt = new Date(Date.parse(date) + minutes * 60_000)
        const dueDates = dueDatesOf(sites)

        const until = dueDates.readyUntil(date)!
        const period = dueDates.periodOf(readyAt)!

        expect(period.dueOn <= date).toBe(readyAt < until)
        // a cached period is the one that would be found
        expect(dueDates.periodOf(new Date(+period.until - 1))).toEqual(period)
        expect(dueDatesOf(sites).periodOf(period.from!)).toEqual(period)
        // its end is exclusive
        expect(dueDates.periodOf(period.until)).toEqual(dueDatesOf(sites).periodOf(period.until))
        expect(dueDates.periodOf(period.until)?.dueOn).not.toBe(period.dueOn)
      },
    ),
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ProductionCalendar, Weekday } from '../print-run/capabilities.ts'
import type { WorkingTimes } from './cut-off.ts'
import { dueDateOf, readyUntil } from './due-date.ts'

/** Monday to Friday, cut-off at half past five, posted on the next working day. */
const office: ProductionCalendar = {
  weekdays: [1, 2, 3, 4, 5],
  bankHolidays: 'england-and-wales',
  closedOn: [],
  cutOff: '17:30',
  productionDays: 1,
  classes: [],
}
const siteWith = (calendar: ProductionCalendar): WorkingTimes => ({ calendar, maintenance: [] })
const atOffice = [siteWith(office)]
const slower = siteWith({ ...office, productionDays: 2 })
const always: WorkingTimes = { maintenance: [] }

test.each<[what: string, sites: WorkingTimes[], readyAt: string, dueOn: string]>([
  ['a minute before the cut-off', atOffice, '2026-03-04T17:29Z', '2026-03-05'],
  ['at the cut-off', atOffice, '2026-03-04T17:30Z', '2026-03-06'],
  ['before a weekend', atOffice, '2026-03-06T10:00Z', '2026-03-09'],
  ['on a weekend', atOffice, '2026-03-07T10:00Z', '2026-03-10'],
  ['before the bank holidays of Easter', atOffice, '2026-04-02T10:00Z', '2026-04-07'],
  ['a minute before the cut-off of summer time', atOffice, '2026-03-30T16:29Z', '2026-03-31'],
  ['at the cut-off of summer time', atOffice, '2026-03-30T16:30Z', '2026-04-01'],
  ['with a slower site', [siteWith(office), slower], '2026-03-04T10:00Z', '2026-03-06'],
  ['without a calendar, the London day', [always], '2026-07-01T23:30Z', '2026-07-02'],
])('%s', (_, sites, readyAt, dueOn) => {
  expect(dueDateOf(sites, 'SECOND', new Date(readyAt))).toBe(dueOn)
})

test('a despatch method that no site produces has no due date', () => {
  const never = siteWith({ ...office, classes: [{ despatchMethod: 'ECONOMY', weekdays: [7] }] })

  expect(dueDateOf([never], 'ECONOMY', new Date('2026-03-04T10:00Z'))).toBeUndefined()
  expect(readyUntil([never], 'ECONOMY', '2026-03-04')).toBeUndefined()
  expect(readyUntil([], 'SECOND', '2026-03-04')).toBeUndefined()
})

test.each<[what: string, sites: WorkingTimes[], date: string, until: string]>([
  ['the cut-off of the day before', atOffice, '2026-03-05', '2026-03-04T17:30Z'],
  ['over a weekend, that of Friday', atOffice, '2026-03-09', '2026-03-06T17:30Z'],
  ['on a Sunday, that of Thursday', atOffice, '2026-03-08', '2026-03-05T17:30Z'],
  ['of the slower site', [siteWith(office), slower], '2026-03-06', '2026-03-04T17:30Z'],
  ['without a calendar, the end of the day', [always], '2026-07-02', '2026-07-02T23:00Z'],
])('ready until %s', (_, sites, date, until) => {
  expect(readyUntil(sites, 'SECOND', date)).toEqual(new Date(until))
})

test('a letter is due on a date or earlier exactly if it is ready before that instant', () => {
  const aSite = fc.record({
    weekdays: fc.subarray<Weekday>([1, 2, 3, 4, 5, 6, 7], { minLength: 1 }),
    bankHolidays: fc.constantFrom('england-and-wales', 'none'),
    closedOn: fc.subarray(['2026-03-05', '2026-03-30']),
    cutOff: fc.constantFrom('01:30', '17:30', '23:59'),
    productionDays: fc.integer({ min: 0, max: 4 }),
    classes: fc.constant([]),
  })
  const day = (days: number) => new Date(Date.UTC(2026, 2, 1 + days)).toISOString().slice(0, 10)
  fc.assert(
    fc.property(
      fc.array(aSite, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: -15 * 1_440, max: 15 * 1_440 }),
      (calendars, days, minutes) => {
        const sites = calendars.map(siteWith)
        const date = day(days)
        const readyAt = new Date(Date.parse(date) + minutes * 60_000)

        const until = readyUntil(sites, 'SECOND', date)!

        expect(dueDateOf(sites, 'SECOND', readyAt)! <= date).toBe(readyAt < until)
      },
    ),
  )
})

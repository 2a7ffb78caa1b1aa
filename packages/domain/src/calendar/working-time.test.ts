import { expect, test } from 'vitest'
import type { ProductionCalendar } from '../print-run/capabilities.ts'
import type { WorkingTimes } from './cut-off.ts'
import { isWorkingAt, workingSecondsBetween } from './working-time.ts'

const office: ProductionCalendar = {
  weekdays: [1, 2, 3, 4, 5],
  bankHolidays: 'england-and-wales',
  closedOn: ['2026-11-25'],
  cutOff: '17:30',
  productionDays: 1,
  classes: [{ despatchMethod: 'SECOND', weekdays: [1, 3] }],
}
const weekdaysOnly: WorkingTimes = { calendar: office, maintenance: [] }
const always: WorkingTimes = { maintenance: [] }
const hour = 3_600
const day = 24 * hour

const rows: [
  what: string,
  site: WorkingTimes,
  method: 'FIRST' | 'SECOND',
  from: string,
  until: string,
  seconds: number,
][] = [
  ['part of a day', always, 'FIRST', '2026-11-21T09:00Z', '2026-11-21T10:00Z', hour],
  [
    'a weekend without a calendar',
    always,
    'FIRST',
    '2026-11-20T00:00Z',
    '2026-11-23T00:00Z',
    3 * day,
  ],
  ['a weekend', weekdaysOnly, 'FIRST', '2026-11-20T18:00Z', '2026-11-23T01:00Z', 7 * hour],
  ['Saturday alone', weekdaysOnly, 'FIRST', '2026-11-21T08:00Z', '2026-11-21T20:00Z', 0],
  ['Christmas', weekdaysOnly, 'FIRST', '2026-12-24T12:00Z', '2026-12-29T01:00Z', 13 * hour],
  ['a day that it is closed', weekdaysOnly, 'FIRST', '2026-11-25T00:00Z', '2026-11-26T00:00Z', 0],
  [
    'days without its despatch method',
    weekdaysOnly,
    'SECOND',
    '2026-11-16T23:00Z',
    '2026-11-18T01:00Z',
    2 * hour,
  ],
  [
    'the day on which the clocks go back',
    always,
    'FIRST',
    '2026-10-24T23:00Z',
    '2026-10-26T00:00Z',
    25 * hour,
  ],
  ['nothing before the beginning', always, 'FIRST', '2026-11-21T10:00Z', '2026-11-21T09:00Z', 0],
  [
    'no more than 400 days of London',
    always,
    'FIRST',
    '2020-01-01T00:00Z',
    '2026-11-21T00:00Z',
    400 * day + hour,
  ],
]

test.each(rows)('%s', (_what, site, method, from, until, seconds) => {
  const stretch = { from: new Date(from), until: new Date(until) }

  expect(workingSecondsBetween(site, method, stretch)).toBe(seconds)
})

test('maintenance does not count as working time, and overlapping windows are subtracted once', () => {
  const maintenance = [
    { from: '2026-11-20T13:00Z', until: '2026-11-21T13:00Z' },
    { from: '2026-11-20T10:00Z', until: '2026-11-20T10:30Z' },
    { from: '2026-11-20T09:00Z', until: '2026-11-20T11:00Z' },
  ]
  const stretch = { from: new Date('2026-11-20T08:00Z'), until: new Date('2026-11-20T14:00Z') }

  expect(workingSecondsBetween({ maintenance }, 'FIRST', stretch)).toBe(3 * hour)
})

test('a site works on a day of one of its despatch methods, outside maintenance', () => {
  const site = {
    calendar: office,
    maintenance: [{ from: '2026-11-20T09:00Z', until: '2026-11-20T10:00Z' }],
  }

  expect(isWorkingAt(site, ['FIRST'], new Date('2026-11-20T10:00Z'))).toBe(true)
  expect(isWorkingAt(site, ['FIRST'], new Date('2026-11-20T09:30Z'))).toBe(false)
  expect(isWorkingAt(site, ['SECOND'], new Date('2026-11-20T10:00Z'))).toBe(false)
  expect(isWorkingAt(site, ['SECOND', 'FIRST'], new Date('2026-11-20T10:00Z'))).toBe(true)
  expect(isWorkingAt(site, ['SECOND', 'FIRST'], new Date('2026-11-21T10:00Z'))).toBe(false)
  expect(isWorkingAt(always, ['FIRST'], new Date('2026-11-21T10:00Z'))).toBe(true)
})

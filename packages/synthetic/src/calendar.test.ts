import { expect, test } from 'vitest'
import { ageAt, anniversary, formatDay, monthsLater, parseDay } from './calendar.ts'

const today = parseDay('2026-11-20', 'today')

const anniversaries: [from: string, years: number, to: string][] = [
  ['2026-11-20', 1, '2027-11-20'],
  ['2026-11-20', -95, '1931-11-20'],
  ['2024-02-29', 4, '2028-02-29'],
  ['2024-02-29', 1, '2025-03-01'],
]

test.for(anniversaries)('%s and %j years make %s', ([from, years, to]) => {
  expect(formatDay(anniversary(parseDay(from, 'from'), years))).toBe(to)
})

const months: [from: string, months: number, to: string][] = [
  ['2026-01-31', 1, '2026-02-28'],
  ['2024-01-31', 1, '2024-02-29'],
  ['2026-11-20', 2, '2027-01-20'],
  ['2026-03-31', -1, '2026-02-28'],
  ['2026-12-01', 12, '2027-12-01'],
  ['2026-01-15', -25, '2023-12-15'],
]

test.for(months)('%s and %j months make %s', ([from, count, to]) => {
  expect(formatDay(monthsLater(parseDay(from, 'from'), count))).toBe(to)
})

const ages: [birth: string, age: number][] = [
  ['2010-11-20', 16],
  ['2010-11-21', 15],
  ['1931-01-01', 95],
  ['2008-02-29', 18],
]

test.for(ages)('born on %s, %j years old today', ([birth, age]) => {
  expect(ageAt(parseDay(birth, 'birth'), today)).toBe(age)
})

test.for(['', '2026-02-29', '2026-13-01', '2026-1-1', '20 November 2026', '2026-11-20T00:00'])(
  'refuses %j as a day and names the field',
  (text) => {
    expect(() => parseDay(text, 'today')).toThrow('today is not a date of the form YYYY-MM-DD')
  },
)

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addDays, londonDateOf, londonDayEnd, londonInstant } from './london.ts'

const instants: [what: string, date: string, time: string, instant: string][] = [
  ['in winter', '2026-01-15', '17:30', '2026-01-15T17:30:00.000Z'],
  ['in summer', '2026-07-15', '17:30', '2026-07-15T16:30:00.000Z'],
  ['before the gap of spring', '2026-03-29', '00:59', '2026-03-29T00:59:00.000Z'],
  ['in the gap of spring, an hour later', '2026-03-29', '01:30', '2026-03-29T01:30:00.000Z'],
  ['after the gap of spring', '2026-03-29', '02:00', '2026-03-29T01:00:00.000Z'],
  ['in the overlap of autumn, the first', '2026-10-25', '01:30', '2026-10-25T00:30:00.000Z'],
  ['after the overlap of autumn', '2026-10-25', '02:00', '2026-10-25T02:00:00.000Z'],
  ['on a leap day', '2028-02-29', '12:00', '2028-02-29T12:00:00.000Z'],
]

test.each(instants)('a time %s: %s %s is %s', (_, date, time, instant) => {
  expect(londonInstant(date, time).toISOString()).toBe(instant)
})

const days: [instant: string, date: string][] = [
  ['2026-01-15T23:59:59.999Z', '2026-01-15'],
  ['2026-07-15T22:59:59.999Z', '2026-07-15'],
  ['2026-07-15T23:00:00.000Z', '2026-07-16'],
  ['2028-02-28T23:59:59.999Z', '2028-02-28'],
  ['2028-02-29T00:00:00.000Z', '2028-02-29'],
]

test.each(days)('at %s it is %s in London', (instant, date) => {
  expect(londonDateOf(new Date(instant))).toBe(date)
})

const ends: [what: string, date: string, end: string][] = [
  ['in winter', '2026-01-15', '2026-01-16T00:00:00.000Z'],
  ['in summer', '2026-07-15', '2026-07-15T23:00:00.000Z'],
  ['of 23 hours', '2026-03-29', '2026-03-29T23:00:00.000Z'],
  ['of 25 hours', '2026-10-25', '2026-10-26T00:00:00.000Z'],
  ['at the end of a year', '2026-12-31', '2027-01-01T00:00:00.000Z'],
]

test.each(ends)('a day %s, %s, ends at %s', (_, date, end) => {
  expect(londonDayEnd(date).toISOString()).toBe(end)
})

test('every time of every day exists once, on that day', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 3_653 }),
      fc.integer({ min: 0, max: 24 * 60 - 1 }),
      (day, minute) => {
        const date = addDays('2020-01-01', day)
        const time = new Date(minute * 60_000).toISOString().slice(11, 16)
        expect(londonDateOf(londonInstant(date, time))).toBe(date)
      },
    ),
  )
})

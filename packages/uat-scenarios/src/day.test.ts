import { expect, test } from 'vitest'
import { asOf, day, dayAfter } from './day.ts'

test.each([
  ['the day itself', '2026-03-02T09:00:00Z', {}, '2026-03-02'],
  ['the day in London, an hour ahead in summer', '2026-07-01T23:30:00Z', {}, '2026-07-02'],
  ['a year ahead', '2026-03-02T09:00:00Z', { years: 1 }, '2027-03-02'],
  ['a year after a leap day', '2028-02-29T09:00:00Z', { years: 1 }, '2029-02-28'],
  ['a month after the 31st', '2026-01-31T09:00:00Z', { months: 1 }, '2026-02-28'],
  ['three months back over a year', '2026-02-10T09:00:00Z', { months: -3 }, '2025-11-10'],
  ['yesterday', '2026-03-01T09:00:00Z', { days: -1 }, '2026-02-28'],
  ['all at once', '2026-03-02T09:00:00Z', { years: 1, months: 1, days: -2 }, '2027-03-31'],
])('%s', (_name, now, ahead, expected) => {
  expect(dayAfter(new Date(now), ahead)).toBe(expected)
  expect(asOf(new Date(now), { at: [day(ahead)] })).toEqual({ at: [expected] })
})

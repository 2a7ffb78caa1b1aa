import { expect, test } from 'vitest'
import { daysBetween, findDueWarning } from './expiry-warning.ts'

test.for([
  [90, undefined],
  [31, undefined],
  [30, 30],
  [8, 30],
  [7, 7],
  [2, 7],
  [1, 1],
  [0, 1],
  [-1, undefined],
] as const)('with %i days left, the warning at %s days is due', ([daysLeft, expected]) => {
  expect(findDueWarning(daysLeft)).toBe(expected)
})

test.for([
  ['2026-03-28', '2026-03-30', 2],
  ['2026-12-31', '2027-01-01', 1],
  ['2026-01-01', '2026-01-01', 0],
  ['2026-01-02', '2026-01-01', -1],
] as const)('from %s to %s there are %i days', ([from, to, days]) => {
  expect(daysBetween(from, to)).toBe(days)
})

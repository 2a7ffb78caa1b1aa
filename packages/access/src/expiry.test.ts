import { expect, test } from 'vitest'
import { dayAfter, isExpired } from './expiry.ts'

test.for([
  ['2026-03-01T00:00:00Z', false],
  ['2026-03-01T23:59:59.999Z', false],
  ['2026-03-02T00:00:00Z', true],
  ['2027-01-01T00:00:00Z', true],
] as const)('at %s a credential of 2026-03-01 is expired: %s', ([now, expected]) => {
  expect(isExpired('2026-03-01', new Date(now))).toBe(expected)
})

test('counts days over the ends of months and years', () => {
  expect(dayAfter(new Date('2026-12-31T23:59:00Z'), 90)).toBe('2027-03-31')
})

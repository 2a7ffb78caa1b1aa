import { expect, test } from 'vitest'
import { leastKeyAt, searchPeriodOf } from './key-time.ts'

test.each([
  ['1970-01-01T00:00:00.000Z', '00000000-0000-0000-0000-000000000000'],
  ['1969-12-31T23:00:00.000Z', '00000000-0000-0000-0000-000000000000'],
  ['2026-03-04T05:06:07.890Z', '019cb73d-3592-0000-0000-000000000000'],
  ['9999-12-31T23:59:59.999Z', 'e677d21f-dbff-0000-0000-000000000000'],
])('computes the least key at %s', (at, key) => {
  expect(leastKeyAt(new Date(at))).toBe(key)
})

// a period is 2^27 ms, and the periods of 48 bits of milliseconds are 21 bits with a sign
test.each([
  ['the first millisecond', '00000000-0000-7000-8000-000000000000', -1_048_576],
  ['the last one of the first period', '000007ff-ffff-7fff-bfff-ffffffffffff', -1_048_576],
  ['the first one of the next', '00000800-0000-7000-8000-000000000000', -1_048_575],
  ['the last of all', 'ffffffff-ffff-7fff-bfff-ffffffffffff', 1_048_575],
])('a key of %s is in the right period', (_which, key, period) => {
  expect(searchPeriodOf(key)).toBe(period)
})

import { expect, test } from 'vitest'
import { leastKeyAt } from './key-time.ts'

test.each([
  ['1970-01-01T00:00:00.000Z', '00000000-0000-0000-0000-000000000000'],
  ['1969-12-31T23:00:00.000Z', '00000000-0000-0000-0000-000000000000'],
  ['2026-03-04T05:06:07.890Z', '019cb73d-3592-0000-0000-000000000000'],
  ['9999-12-31T23:59:59.999Z', 'e677d21f-dbff-0000-0000-000000000000'],
])('computes the least key at %s', (at, key) => {
  expect(leastKeyAt(new Date(at))).toBe(key)
})

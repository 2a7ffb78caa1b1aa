import { expect, test } from 'vitest'
import { fingerprintOf } from './fingerprint.ts'

test.each<[unknown, unknown, boolean]>([
  [{ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 }, true],
  [{ a: [1, 2] }, { a: [2, 1] }, false],
  [{ a: 1 }, { a: '1' }, false],
  [{ a: 1 }, { a: 1, b: null }, false],
  [undefined, undefined, true],
])('%j and %j are the same content: %j', (one, other, isSame) =>
  expect(fingerprintOf(one) === fingerprintOf(other)).toBe(isSame),
)

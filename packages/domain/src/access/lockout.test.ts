import { expect, test } from 'vitest'
import { isLocked, lockDelayMs } from './lockout.ts'

const rules = { attempts: 5, firstDelayMs: 1_000, delayMsMax: 900_000 }

test.for([
  [0, 0],
  [1, 0],
  [4, 0],
  [5, 1_000],
  [6, 2_000],
  [7, 4_000],
  [14, 512_000],
  [15, 900_000],
  [16, 900_000],
  [1_000_000, 900_000],
] as const)('%i wrong attempts delay the next by %i ms', ([failures, delayMs]) => {
  expect(lockDelayMs(failures, rules)).toBe(delayMs)
})

test.for([
  [4, 0, false],
  [5, 0, true],
  [5, 999, true],
  [5, 1_000, false],
  [6, 1_999, true],
  [6, 2_000, false],
  [1_000, 899_999, true],
  [1_000, 900_000, false],
] as const)('after %i wrong attempts and %i ms, locked: %s', ([failures, ageMs, expected]) => {
  expect(isLocked({ failures, ageMs }, rules)).toBe(expected)
})

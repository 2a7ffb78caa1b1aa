import { expect, test } from 'vitest'
import { isTooMany, parseRejectsMax } from './rejects-max.ts'

test.for<[text: string, rejected: number, read: number, isTooMany: boolean]>([
  ['1%', 10, 1_000, false],
  ['1%', 11, 1_000, true],
  ['0.5%', 5, 1_000, false],
  ['0.5%', 6, 1_000, true],
  ['0%', 1, 1_000, true],
  ['0%', 0, 1_000, false],
  ['100%', 999, 1_000, false],
  ['10', 10, 20, false],
  ['10', 11, 1_000_000, true],
  ['0', 1, 2, true],
])('%s: %i of %i is too many: %s', ([text, rejected, read, expected]) => {
  expect(isTooMany(parseRejectsMax(text), rejected, read)).toBe(expected)
})

test.for(['', 'x', '-1', '1.5', '101%', '%', '1 %', 'Infinity'])('%j is wrong usage', (text) => {
  expect(() => parseRejectsMax(text)).toThrow('It must be a number of rows, or a percentage')
})

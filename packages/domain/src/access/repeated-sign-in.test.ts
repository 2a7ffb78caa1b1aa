import { expect, test } from 'vitest'
import { repeatedUntil } from './repeated-sign-in.ts'

test('a sign-in counts as repeated for five minutes', () => {
  expect(repeatedUntil(new Date('2026-03-10T23:58:00.500Z'))).toEqual(
    new Date('2026-03-11T00:03:00.500Z'),
  )
})

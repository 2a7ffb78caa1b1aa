import { expect, test } from 'vitest'
import { clockSkewSeconds } from './clock-skew.ts'

const now = new Date('2026-03-29T01:00:00.250Z')

const rows: [told: string | undefined, answer: object][] = [
  ['2026-03-29T01:00:01.500Z', { clockSkewSeconds: 1.25 }],
  ['2026-03-29T02:00:00.250+01:00', { clockSkewSeconds: 0 }],
  ['2026-03-28T01:00:00.250Z', { clockSkewSeconds: -86_400 }],
  ['Sun, 29 Mar 2026 01:00:03 GMT', { clockSkewSeconds: 2.75 }],
  ['yesterday', {}],
  [undefined, {}],
]

test.for(rows)('computes the skew of a clock that reads %s', ([told, answer]) => {
  expect(clockSkewSeconds(told, now)).toEqual(answer)
})

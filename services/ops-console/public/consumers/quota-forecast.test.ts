import { expect, test } from 'vitest'
import { whenFull } from './quota-forecast.ts'

const endsAt = '2026-11-25T00:00:00.000Z'
const noon = '2026-11-24T12:00:00.000Z'

test.for([
  ['a quota of which 80% is used at noon is full at three', 800, noon, '2026-11-24T15:00:00.000Z'],
  ['half of it at noon lasts for the day', 500, noon, undefined],
  ['a little more than half does not', 501, noon, '2026-11-24T23:57:07.544Z'],
  ['nothing used', 0, noon, undefined],
  ['all used', 1_000, noon, undefined],
  ['the first hour says nothing', 900, '2026-11-24T00:59:59.999Z', undefined],
  ['after an hour', 900, '2026-11-24T01:00:00.000Z', '2026-11-24T01:06:40.000Z'],
] as const)('%s', ([, usedAbout, at, expected]) => {
  const day = { requestsPerDay: 1_000, usedAbout, endsAt, isKnown: true, unreportedMax: 0 }

  expect(whenFull(day, at)).toBe(expected)
})

test('nothing is forecast from counters that do not respond', () => {
  const day = { requestsPerDay: 1_000, endsAt, isKnown: false, unreportedMax: 0 }

  expect(whenFull(day, noon)).toBeUndefined()
})

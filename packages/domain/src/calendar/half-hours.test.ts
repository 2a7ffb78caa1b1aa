import { expect, test } from 'vitest'
import { halfHoursUntil, halfHourText } from './half-hours.ts'

test.for([
  ['2026-11-24T14:30:00.000Z', '2026-11-24T14:30:00Z'],
  ['2026-11-24T14:59:59.999Z', '2026-11-24T14:30:00Z'],
  ['2026-11-24T15:00:00.000Z', '2026-11-24T15:00:00Z'],
] as const)('at %s the last half hour is %s', ([now, last]) => {
  expect(halfHourText(halfHoursUntil(new Date(now)).at(-1)!)).toBe(last)
})

test('the half hours are the 48 of a day, oldest first', () => {
  const halfHours = halfHoursUntil(new Date('2026-11-24T14:59:59Z')).map(halfHourText)

  expect(halfHours).toHaveLength(48)
  expect(halfHours.slice(0, 2)).toEqual(['2026-11-23T15:00:00Z', '2026-11-23T15:30:00Z'])
})

import { expect, test } from 'vitest'
import { byProduction, isSpoiling, itemEventTypes } from './item-event.ts'

test('events are reported in the order of production, those of one type by their ids', () => {
  const events = [
    { type: 'SPOILED', eventId: 'a' },
    { type: 'PRINTED', eventId: 'b' },
    { type: 'DIVERTED', eventId: 'd' },
    { type: 'DIVERTED', eventId: 'c' },
    { type: 'FETCHED', eventId: 'e' },
  ] as const

  expect(events.toSorted(byProduction).map(({ eventId }) => eventId)).toEqual([
    'c',
    'd',
    'e',
    'b',
    'a',
  ])
})

test('an attempt ends by spoiling and by failing', () => {
  expect(itemEventTypes.filter(isSpoiling)).toEqual(['SPOILED', 'FAILED'])
})

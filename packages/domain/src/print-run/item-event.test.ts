import { expect, test } from 'vitest'
import { byProduction, isSpoiling, itemEventTypes } from './item-event.ts'

test('events are sorted in the order of production, and events of one type by id', () => {
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

test('only SPOILED and FAILED end an attempt', () => {
  expect(itemEventTypes.filter(isSpoiling)).toEqual(['SPOILED', 'FAILED'])
})

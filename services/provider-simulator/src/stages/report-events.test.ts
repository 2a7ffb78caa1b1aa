import type { ItemEvent } from '@despatch/client/print-run'
import { expect, test } from 'vitest'
import { floorSchema } from '../floor/settings.ts'
import { arrangeEvents } from './report-events.ts'

const events: ItemEvent[] = ['a', 'b', 'c', 'd', 'e'].map((eventId) => ({
  eventId,
  documentId: 'D1',
  attempt: 1,
  type: 'FETCHED',
  occurredAt: '2026-01-05T10:00:00Z',
}))
const reporting = floorSchema.parse({ seed: 'seed', eventsPerCall: 2 })
const idsOf = (calls: ItemEvent[][]) => calls.map((call) => call.map(({ eventId }) => eventId))

test('events are reported in order, in calls of the configured size', () => {
  expect(idsOf(arrangeEvents(events, reporting))).toEqual([['a', 'b'], ['c', 'd'], ['e']])
})

test('without events there is no call', () => {
  expect(arrangeEvents([], { ...reporting, eventDuplicateRate: 1, eventShuffle: true })).toEqual([])
})

test('duplicates come in calls of their own', () => {
  expect(idsOf(arrangeEvents(events, { ...reporting, eventDuplicateRate: 1 }))).toEqual([
    ...[['a', 'b'], ['c', 'd'], ['e']],
    ...[['a', 'b'], ['c', 'd'], ['e']],
  ])
})

test('shuffled, each is reported equally often, in another order', () => {
  const calls = idsOf(
    arrangeEvents(events, { ...reporting, eventDuplicateRate: 1, eventShuffle: true }),
  )

  expect(calls.flat().toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c', 'd', 'd', 'e', 'e'])
  expect(calls.slice(0, 3).flat()).not.toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(calls.filter((call) => new Set(call).size < call.length || call.length > 2)).toEqual([])
})

import { expect, test } from 'vitest'
import { createAdmission, type Place } from './admission.ts'

const limits = { requestsMax: 10, bodyBytesMax: 1_000 }

test('admits requests up to the limit, and the next when one has left', () => {
  const admission = createAdmission({ ...limits, requestsMax: 2 })
  const first = admission.enter(0) as Place
  admission.enter(0)

  expect(admission.enter(0)).toBe('requests')
  admission.leave(first)
  expect(admission.enter(0)).toEqual({ bodyBytes: 0 })
})

test('admits bytes of bodies up to the limit', () => {
  const admission = createAdmission(limits)
  const first = admission.enter(600) as Place

  expect(admission.enter(401)).toBe('bytes')
  expect(admission.enter(400)).toEqual({ bodyBytes: 400 })
  admission.leave(first)
  expect(admission.enter(600)).toEqual({ bodyBytes: 600 })
})

test('admits a single body that is larger than the limit of bytes', () => {
  const admission = createAdmission(limits)

  expect(admission.enter(5_000)).toEqual({ bodyBytes: 5_000 })
  expect(admission.enter(1)).toBe('bytes')
})

test('one consumer gets most of the places, but not all', () => {
  const admission = createAdmission(limits)

  expect(takeAll(admission, 'greedy')).toBe(8)
  expect(takeAll(admission, 'another')).toBe(1)
})

test('one consumer gets half of the bytes, but always one body', () => {
  const admission = createAdmission(limits)
  const enter = (consumer: string, bytes: number) => {
    const place = admission.enter(bytes)
    if (typeof place === 'string') return place
    const refused = admission.assign(place, consumer)
    if (refused) admission.leave(place)
    return refused ?? place
  }
  const first = enter('greedy', 400) as Place

  expect(enter('greedy', 101)).toBe('share')
  expect(enter('greedy', 0)).toMatchObject({ bodyBytes: 0 })
  expect(enter('another', 600)).toMatchObject({ bodyBytes: 600 })
  admission.leave(first)
  expect(enter('greedy', 400)).toMatchObject({ bodyBytes: 400 })
})

test('two greedy consumers get equal numbers of places', () => {
  const admission = createAdmission({ ...limits, requestsMax: 90 })
  const got = { one: 0, other: 0 }
  for (let turn = 0; turn < 90; turn += 1) {
    for (const consumer of ['one', 'other'] as const)
      if (take(admission, consumer)) got[consumer] += 1
  }

  expect(got).toEqual({ one: 40, other: 40 })
})

test('requests that have left no longer count against their consumer', () => {
  const admission = createAdmission(limits)
  const places = Array.from({ length: 8 }, () => take(admission, 'greedy')!)
  expect(take(admission, 'greedy')).toBeUndefined()

  for (const place of places) admission.leave(place)

  expect([admission.requests, takeAll(admission, 'greedy')]).toEqual([0, 8])
})

test('a consumer without a request in progress gets the last place', () => {
  const admission = createAdmission({ ...limits, requestsMax: 1 })

  expect(take(admission, 'only')).toBeDefined()
})

function take(admission: ReturnType<typeof createAdmission>, consumer: string): Place | undefined {
  const place = admission.enter(0)
  if (typeof place === 'string') return undefined
  if (admission.assign(place, consumer) === undefined) return place
  admission.leave(place)
  return undefined
}

function takeAll(admission: ReturnType<typeof createAdmission>, consumer: string): number {
  let taken = 0
  while (take(admission, consumer)) taken += 1
  return taken
}

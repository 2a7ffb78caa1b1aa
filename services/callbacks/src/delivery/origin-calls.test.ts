import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type OriginCall, recordOriginCallsTogether } from './origin-calls.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const call = (origin: string): OriginCall => ({
  origin,
  at: new Date('2026-03-02T10:00:00Z'),
  outcome: 'timeout',
  isFailure: true,
})

test('records calls of the same moment together, and keeps them while the database is unavailable', async () => {
  const written: string[][] = []
  const errors: string[] = []
  let failures = 1
  const calls = recordOriginCallsTogether({
    record: async (given) => {
      if (failures-- > 0) throw new Error('away')
      written.push(given.map(({ origin }) => origin))
    },
    everyMs: 100,
    onError: ({ message }) => void errors.push(message),
  })
  await vi.advanceTimersByTimeAsync(0)

  calls.note(call('a'))
  calls.note(call('b'))
  await vi.advanceTimersByTimeAsync(100)
  calls.note(call('c'))
  await vi.advanceTimersByTimeAsync(100)
  calls.note(call('d'))
  await calls.close()

  expect(errors).toEqual(['away'])
  expect(written).toEqual([['a', 'b', 'c'], ['d']])
  expect(vi.getTimerCount()).toBe(0)
})

test('tries again by itself, with the latest 50,000 calls, 5,000 at once while there are as many', async () => {
  const written: OriginCall[][] = []
  let failures = 1
  const calls = recordOriginCallsTogether({
    record: async (given) => {
      if (failures-- > 0) throw new Error('away')
      written.push([...given])
    },
    everyMs: 100,
    onError: () => {},
  })
  for (let count = 0; count <= 50_000; count++) calls.note(call(`${count}`))

  await vi.advanceTimersByTimeAsync(200)

  expect(written.map(([first, ...others]) => [first?.origin, others.length])).toEqual(
    Array.from({ length: 10 }, (_, index) => [`${5_000 * index + 1}`, 4_999]),
  )
  await calls.close()
})

test('no timer wakes the process while there are no calls', async () => {
  const calls = recordOriginCallsTogether({
    record: async () => {},
    everyMs: 100,
    onError: () => {},
  })
  calls.note(call('a'))
  await vi.advanceTimersByTimeAsync(200)
  const startedAt = performance.now()

  await vi.advanceTimersToNextTimerAsync()

  expect(performance.now() - startedAt).toBeGreaterThan(30_000)
  await calls.close()
})

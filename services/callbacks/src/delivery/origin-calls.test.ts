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

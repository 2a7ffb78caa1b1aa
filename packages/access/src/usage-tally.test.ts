import type { UsageOfDay } from '@despatch/store/access/usage-of-day'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startUsageTally } from './usage-tally.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const consumerId = '11111111-1111-4111-8111-111111111111'
const midnight = Date.parse('2026-03-02T00:00:00Z')
const day = midnight / 86_400_000

function aTally(atMs = midnight) {
  const state = { atMs, isAway: false }
  const saved: UsageOfDay[][] = []
  const errors: string[] = []
  const tally = startUsageTally({
    save: async (usages) => {
      if (state.isAway) throw new Error('away')
      saved.push([...usages])
    },
    nowMs: () => state.atMs,
    onError: ({ message }) => void errors.push(message),
  })
  const letThrough = (requests: number) => {
    for (let request = 0; request < requests; request += 1) tally.count(consumerId, false)
  }
  return { ...tally, state, saved, errors, letThrough }
}

test('every ten seconds saves the requests, refusals and busiest second counted since the last time', async () => {
  const { state, saved, letThrough, count, close } = aTally()
  letThrough(2)
  state.atMs += 1_000
  letThrough(3)
  count(consumerId, true)
  await vi.advanceTimersByTimeAsync(10_000)
  state.atMs += 1_000
  letThrough(1)
  count(consumerId, true)
  await vi.advanceTimersByTimeAsync(10_000)
  await vi.advanceTimersByTimeAsync(10_000)
  state.atMs += 1_000
  letThrough(2)
  await close()

  expect(saved).toEqual([
    [{ consumerId, day, requests: 5, refused: 1, peakPerSecond: 3 }],
    [{ consumerId, day, requests: 1, refused: 1, peakPerSecond: 3 }],
    // one that sent nothing for as long is forgotten
    [{ consumerId, day, requests: 2, refused: 0, peakPerSecond: 2 }],
  ])
  expect(vi.getTimerCount()).toBe(0)
})

test('saves counts again after a failure, and the remaining ones when it closes', async () => {
  const { state, saved, errors, letThrough, count, close } = aTally()
  letThrough(2)
  count(consumerId, true)
  state.isAway = true
  await vi.advanceTimersByTimeAsync(10_000)
  letThrough(1)
  state.isAway = false
  await close()
  await vi.advanceTimersByTimeAsync(10_000)

  expect(errors).toEqual(['away'])
  expect(saved).toEqual([[{ consumerId, day, requests: 3, refused: 1, peakPerSecond: 3 }]])
})

test('starts a new count each day', async () => {
  const { state, saved, letThrough, close } = aTally(midnight - 1)
  letThrough(4)
  state.atMs = midnight
  letThrough(1)
  await close()

  expect(saved).toEqual([[{ consumerId, day, requests: 1, refused: 0, peakPerSecond: 1 }]])
})

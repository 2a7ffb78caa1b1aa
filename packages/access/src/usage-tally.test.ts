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
  const tally = startUsageTally({
    save: async (usages) => {
      if (state.isAway) throw new Error('away')
      saved.push([...usages])
    },
    nowMs: () => state.atMs,
    onError: () => {},
  })
  const letThrough = (requests: number) => {
    for (let request = 0; request < requests; request += 1) tally.count(consumerId, false)
  }
  return { ...tally, state, saved, letThrough }
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
  await vi.advanceTimersByTimeAsync(10_000)
  await vi.advanceTimersByTimeAsync(10_000)
  await close()

  expect(saved).toEqual([
    [{ consumerId, day, requests: 5, refused: 1, peakPerSecond: 3 }],
    [{ consumerId, day, requests: 1, refused: 0, peakPerSecond: 3 }],
  ])
})

test('saves counts again after a failure, and the remaining ones when it closes', async () => {
  const { state, saved, letThrough, close } = aTally()
  letThrough(2)
  state.isAway = true
  await vi.advanceTimersByTimeAsync(10_000)
  letThrough(1)
  state.isAway = false
  await close()
  await vi.advanceTimersByTimeAsync(10_000)

  expect(saved).toEqual([[{ consumerId, day, requests: 3, refused: 0, peakPerSecond: 3 }]])
})

test('starts a new count each day', async () => {
  const { state, saved, letThrough, close } = aTally(midnight - 1)
  letThrough(4)
  state.atMs = midnight
  letThrough(1)
  await close()

  expect(saved).toEqual([[{ consumerId, day, requests: 1, refused: 0, peakPerSecond: 1 }]])
})

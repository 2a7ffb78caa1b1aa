import { expect, test } from 'vitest'
import { createUsagePlanCache, windowsOf } from './usage-plan-cache.ts'

function aCache() {
  const state = { nowMs: 0, reads: 0, requestsPerSecond: 10, isAway: false }
  const find = createUsagePlanCache(
    async () => {
      state.reads += 1
      if (state.isAway) throw new Error('the database does not answer')
      const { requestsPerSecond } = state
      return [
        { name: 'standard', requestsPerSecond, burst: 0, requestsPerDay: null, bytesPerDay: null },
      ]
    },
    () => state.nowMs,
  )
  return { state, find }
}

const second = (requests: number) => [{ name: 'second', requests, seconds: 1 }]

test('reads the plans once for all requests within half a second', async () => {
  const { state, find } = aCache()

  const first = await Promise.all([find('standard'), find('standard'), find('other')])
  state.nowMs = 499

  expect(first).toEqual([second(10), second(10), undefined])
  expect(find('standard')).toBe(first[0])
  expect(state.reads).toBe(1)
})

test('refreshes the plans in the background, and never uses plans that are a second old', async () => {
  const { state, find } = aCache()
  await find('standard')

  state.requestsPerSecond = 20
  state.nowMs = 750
  expect(find('standard')).toEqual(second(10))
  await expect.poll(() => find('standard')).toEqual(second(20))
  state.requestsPerSecond = 30
  state.nowMs = 1_750

  expect(await find('standard')).toEqual(second(30))
})

test('logs plans that cannot be read once the cached ones are too old, and retries', async () => {
  const { state, find } = aCache()
  await find('standard')

  state.isAway = true
  state.nowMs = 999
  expect(find('standard')).toEqual(second(10))
  state.nowMs = 1_000
  await expect(find('standard')).rejects.toThrow('the database does not answer')
  state.isAway = false

  expect(await find('standard')).toEqual(second(10))
})

test('a plan is a window for each of its numbers', () => {
  const plan = { requestsPerSecond: 100, burst: 200, requestsPerDay: 5_000, bytesPerDay: 1_048_576 }
  expect(windowsOf(plan)).toEqual([
    { name: 'second', requests: 100, seconds: 1 },
    { name: 'burst', requests: 200, seconds: 60 },
    { name: 'day', requests: 5_000, seconds: 86_400 },
    { name: 'bytes', requests: 1_024, seconds: 86_400, unit: 'kibibytes' },
  ])
})

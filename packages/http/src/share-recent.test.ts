import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { shareRecent } from './share-recent.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('reads once for all callers within the time', async () => {
  let reads = 0
  const read = shareRecent(async () => ++reads, 1_000)

  const first = await Promise.all([read(), read()])
  vi.advanceTimersByTime(1_000)
  const second = await read()
  vi.advanceTimersByTime(1)

  expect([first, second, await read()]).toEqual([[1, 1], 1, 2])
})

test('does not cache a failure', async () => {
  let reads = 0
  const read = shareRecent(async () => {
    reads += 1
    if (reads === 1) throw new Error('away')
    return reads
  }, 1_000)

  await expect(read()).rejects.toThrow('away')
  expect(await read()).toBe(2)
})

import { describe, expect, test } from 'vitest'
import { createGapWatch, giveUpEveryMs } from './give-up.ts'

/** Returns the times, in seconds, at which passes may give up batches whose lease is 20 seconds. */
function allowed(...passesAt: readonly number[]): number[] {
  const mayGiveUp = createGapWatch(20)
  return passesAt.filter((seconds) => mayGiveUp(seconds * 1_000))
}

describe('batches are given up', () => {
  test('half a lease after the start, and then in each pass', () => {
    expect(allowed(0, 5, 9.9, 10, 15, 20)).toEqual([10, 15, 20])
  })

  test('half a lease after a gap in which workers could not renew their leases', () => {
    expect(allowed(0, 5, 10, 45, 50, 54.9, 55, 60)).toEqual([10, 55, 60])
  })

  test('at once after a gap in which no lease can have expired', () => {
    expect(allowed(0, 5, 10, 18, 26)).toEqual([10, 18, 26])
  })

  test('now and then, although each pass comes late', () => {
    expect(allowed(0, 9, 18, 27, 36, 45)).toEqual([18, 45])
  })
})

test('passes are four in a lease, and at most ten seconds apart', () => {
  expect([1, 20, 40, 600].map(giveUpEveryMs)).toEqual([250, 5_000, 10_000, 10_000])
})

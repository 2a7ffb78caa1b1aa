import { expect, test } from 'vitest'
import type { RateBucket } from './origin-health.ts'
import { hasToken, refill, takeToken } from './rate-bucket.ts'

const now = new Date('2026-03-02T10:00:00.000Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)

const refills: [bucket: RateBucket | null, callsPerSecondMax: number, tokens: number][] = [
  [null, 500, 500],
  [null, 0.5, 1],
  [{ tokens: 0, at: now }, 500, 0],
  [{ tokens: 3, at: ago(0.1) }, 500, 53],
  [{ tokens: 3, at: ago(100) }, 500, 500],
  [{ tokens: 0.5, at: ago(1) }, 0.5, 1],
  [{ tokens: 500, at: ago(0) }, 10, 10],
  [{ tokens: 7, at: ago(-5) }, 500, 7],
]

test.for(refills)(
  '%j at %d calls a second has %d tokens',
  ([bucket, callsPerSecondMax, tokens]) => {
    expect(refill(bucket, { callsPerSecondMax, now })).toEqual({ tokens, at: now })
  },
)

test('a call requires a whole token', () => {
  expect(takeToken({ tokens: 1.5, at: now })).toEqual({ tokens: 0.5, at: now })
  expect(hasToken({ tokens: 1, at: now })).toBe(true)
  expect(hasToken({ tokens: 0.99, at: now })).toBe(false)
})

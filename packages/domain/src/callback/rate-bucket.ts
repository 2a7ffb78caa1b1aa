import type { RateBucket } from './origin-health.ts'

/**
 * Returns the bucket as of now, with the tokens added since. Null means a full bucket, which has the tokens of one
 * second.
 */
export function refill(
  bucket: RateBucket | null,
  { callsPerSecondMax, now }: { callsPerSecondMax: number; now: Date },
): RateBucket {
  const full = Math.max(callsPerSecondMax, 1)
  if (!bucket) return { tokens: full, at: now }
  // A clock that went back adds no tokens and removes none.
  const elapsedMs = Math.max(0, now.getTime() - bucket.at.getTime())
  return { tokens: Math.min(full, bucket.tokens + (elapsedMs / 1000) * callsPerSecondMax), at: now }
}

export function hasToken({ tokens }: RateBucket): boolean {
  return tokens >= 1
}

export function takeToken({ tokens, at }: RateBucket): RateBucket {
  return { tokens: tokens - 1, at }
}

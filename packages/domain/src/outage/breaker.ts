/** The state of a dependency. `failing` are the subjects that it has failed since it last served one. */
export type Breaker = {
  isOpen: boolean
  failing: readonly string[]
  /** From this time on, a probe that passes closes the breaker. */
  closesAtMs: number
}

/** If this many different subjects fail in a row, the dependency is at fault. */
const failingMax = 5
/** How long the failures of subjects outweigh a probe that passes. */
export const distrustMs = 10_000

/** The state of an unknown dependency. */
export const initialBreaker: Breaker = { isOpen: false, failing: [], closesAtMs: 0 }

/** Records that the dependency served a subject. While the breaker is open, only a probe closes it. */
export function recordSuccess(breaker: Breaker): Breaker {
  return breaker.isOpen ? breaker : initialBreaker
}

/** Records that the dependency failed a subject: a letter, or a loop. One subject alone never opens the breaker. */
export function recordFailure(breaker: Breaker, subject: string, nowMs: number): Breaker {
  if (breaker.isOpen) return breaker
  const failing = [...new Set([...breaker.failing, subject])].slice(-failingMax)
  if (failing.length < failingMax) return { ...breaker, failing }
  return { isOpen: true, failing, closesAtMs: nowMs + distrustMs }
}

/**
 * Records a probe. A failed probe opens the breaker; a passed one closes it. After that, the breaker is on trial until
 * a success.
 */
export function recordProbe(breaker: Breaker, hasPassed: boolean, nowMs: number): Breaker {
  if (!hasPassed) return { ...breaker, isOpen: true }
  return breaker.isOpen && nowMs >= breaker.closesAtMs ? { ...breaker, isOpen: false } : breaker
}

/** Returns true if probes pass although subjects failed: work continues with few of them. */
export function isHalfOpen({ isOpen, failing }: Breaker): boolean {
  return !isOpen && failing.length >= failingMax
}

const rampStepMs = 500

/**
 * Returns how many tasks a worker may have at once, `sinceMs` after it has resumed: 1, then doubled every half second.
 */
export function rampedConcurrency(sinceMs: number, concurrencyMax: number): number {
  return Math.min(2 ** Math.floor(Math.min(sinceMs, 30_000) / rampStepMs), concurrencyMax)
}

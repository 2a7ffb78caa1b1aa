/** What is known of a dependency. `failing` are the subjects that it failed since it last served one. */
export type Breaker = {
  isOpen: boolean
  failing: readonly string[]
  /** A probe that passes closes it from then on. */
  closesAtMs: number
}

/** When this many different subjects fail in a row, the dependency is at fault. */
export const failingMax = 5
/** How long an answer to a probe counts less than what the subjects see. */
export const distrustMs = 10_000

/** A dependency of which nothing is known. */
export const quietBreaker: Breaker = { isOpen: false, failing: [], closesAtMs: 0 }

/** The dependency served a subject. While the breaker is open only a probe closes it. */
export function recordSuccess(breaker: Breaker): Breaker {
  return breaker.isOpen ? breaker : quietBreaker
}

/** The dependency failed a subject: a letter, or a loop. One subject alone never opens the breaker. */
export function recordFailure(breaker: Breaker, subject: string, nowMs: number): Breaker {
  if (breaker.isOpen) return breaker
  const failing = [...new Set([...breaker.failing, subject])].slice(-failingMax)
  if (failing.length < failingMax) return { ...breaker, failing }
  return { isOpen: true, failing, closesAtMs: nowMs + distrustMs }
}

/** A probe failed, which opens the breaker, or passed, which closes it. After the close it is on trial until a success. */
export function recordProbe(breaker: Breaker, hasPassed: boolean, nowMs: number): Breaker {
  if (!hasPassed) return { ...breaker, isOpen: true }
  return breaker.isOpen && nowMs >= breaker.closesAtMs ? { ...breaker, isOpen: false } : breaker
}

/** True when probes pass while subjects failed: work goes on with few of them. */
export function isOnTrial({ isOpen, failing }: Breaker): boolean {
  return !isOpen && failing.length >= failingMax
}

const rampStepMs = 500

/** How many tasks a lane may have in hand so long after it has gone on: 1, then twice as many every half second. */
export function rampedConcurrency(sinceMs: number, concurrencyMax: number): number {
  return Math.min(2 ** Math.floor(Math.min(sinceMs, 30_000) / rampStepMs), concurrencyMax)
}

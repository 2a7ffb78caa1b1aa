import type { AttemptOutcome } from './attempt-outcome.ts'
import type { CallTally, OriginHealth } from './origin-health.ts'
import { type AttemptResult, retriedRefusals } from './retry.ts'

/** A call that has ended. `at` is the time of its end. */
type EndedCall = { at: Date; isFailure: boolean }

export const failuresInRowMax = 10
export const failureShareMax = 0.7
export const callsJudgedMin = 10
export const minutesJudged = 5
export const openSeconds = 30

/** The health of an unknown origin. */
export const initialHealth: OriginHealth = {
  breaker: 'closed',
  breakerUntil: null,
  failuresInRow: 0,
  minutes: [],
}

/**
 * Returns the health of an origin after more of its calls have ended. The breaker opens for 30 s after 10 failures in a
 * row, or if more than 70 % of at least 10 calls in five minutes failed. While it is open, calls change nothing. When
 * it is half-open, the first call that ends decides: a success closes and clears it, a failure opens it again.
 */
export function recordCalls(
  health: OriginHealth,
  calls: readonly EndedCall[],
  now: Date,
): OriginHealth {
  return calls.reduce((known, call) => recordCall(known, call, now), health)
}

function recordCall(health: OriginHealth, call: EndedCall, now: Date): OriginHealth {
  if (health.breaker === 'half-open' && !call.isFailure) return initialHealth
  const known = {
    ...health,
    failuresInRow: call.isFailure ? health.failuresInRow + 1 : 0,
    minutes: tally(health.minutes, call, now),
  }
  if (!call.isFailure || health.breaker === 'open') return known
  if (health.breaker === 'closed' && !isFailing(known)) return known
  const breakerUntil = new Date(now.getTime() + openSeconds * 1000)
  return { ...known, breaker: 'open', breakerUntil }
}

/**
 * Whether a call with this result counts for its origin. A call that we refused to send, or could not send, says
 * nothing about the origin: such a probe must not close a breaker.
 */
export function countsForOrigin(ended: {
  result: AttemptResult
  outcome: AttemptOutcome
}): boolean {
  const { result, outcome } = ended
  return result.kind !== 'fault' && result.kind !== 'unsendable' && outcome !== 'blocked_address'
}

/**
 * Whether a call with this result means that its origin is in trouble. Refusals other than 408, 425 and 429 are answers
 * of a healthy origin.
 */
export function isFailureOfOrigin(result: AttemptResult): boolean {
  if (result.kind !== 'answered') return result.kind === 'unreached' || result.kind === 'unknown'
  const { httpStatus } = result
  if (httpStatus >= 200 && httpStatus < 300) return false
  const isRefused = httpStatus >= 400 && httpStatus < 500
  return !isRefused || retriedRefusals.includes(httpStatus)
}

function isFailing({ failuresInRow, minutes }: OriginHealth): boolean {
  if (failuresInRow >= failuresInRowMax) return true
  const calls = minutes.reduce((sum, tally) => sum + tally.calls, 0)
  const failures = minutes.reduce((sum, tally) => sum + tally.failures, 0)
  return calls >= callsJudgedMin && failures / calls > failureShareMax
}

function tally(
  minutes: readonly CallTally[],
  { at, isFailure }: EndedCall,
  now: Date,
): CallTally[] {
  const minute = minuteOf(at)
  const { calls, failures } = minutes.find((tally) => tally.minute === minute) ?? quietMinute
  const counted = { minute, calls: calls + 1, failures: failures + Number(isFailure) }
  const oldest = minuteOf(now) - minutesJudged
  return [...minutes.filter((tally) => tally.minute !== minute), counted]
    .filter((tally) => tally.minute > oldest)
    .sort((one, other) => one.minute - other.minute)
}

const quietMinute = { calls: 0, failures: 0 }

function minuteOf(at: Date): number {
  return Math.floor(at.getTime() / 60_000)
}

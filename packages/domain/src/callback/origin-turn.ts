import { initialHealth } from './breaker.ts'
import type { CallLimits, CallsOfOrigin, DueCallback, KnownOrigin } from './choose.ts'
import type { OriginHealth, RateBucket } from './origin-health.ts'
import { hasToken, refill, takeToken } from './rate-bucket.ts'

/** How long a breaker may withhold the first attempt of a round. */
export const firstAttemptWaitSeconds = 300

/** The turn of an origin while it is formed. */
export type OriginTurn = {
  origin: string
  health: OriginHealth
  bucket: RateBucket
  /** The most that a contract of its callbacks allows, within the limit of all origins. */
  callsMax: number
  /** Calls in progress, including those just taken. */
  callsInProgress: number
  /** Due and not under way, longest due first. */
  ready: readonly DueCallback[]
  /** The callbacks that are called now, within the usual limit of calls. */
  taken: string[]
  /** Last attempts that are called now, in the room that only they have. */
  takenBeyond: string[]
  isChanged: boolean
}

export function beginTurn(given: {
  origin: string
  callbacks: readonly DueCallback[]
  known: KnownOrigin | undefined
  calls: CallsOfOrigin | undefined
  now: Date
  limits: CallLimits
}): OriginTurn {
  const { origin, callbacks, known, calls, now, limits } = given
  const { callsPerSecondMax, callsPerOriginMax } = limits
  const allowed = callbacks.reduce(
    (most, { callsMax }) => Math.max(most, callsMax),
    calls?.callsMax ?? 1,
  )
  return {
    origin,
    health: known?.health ?? initialHealth,
    bucket: refill(known?.bucket ?? null, { callsPerSecondMax, now }),
    callsMax: Math.min(callsPerOriginMax, allowed),
    callsInProgress: calls?.underWay ?? 0,
    ready: callbacks
      .filter((callback) => isReady(callback, now))
      .sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime()),
    taken: [],
    takenBeyond: [],
    isChanged: false,
  }
}

export function isReady({ dueAt, isUnderWay }: DueCallback, now: Date): boolean {
  return dueAt <= now && !isUnderWay
}

/**
 * Whether the limits of the origin allow another call. The limit is higher for the last attempt of a window, whether it
 * was planned as such or waited until then, for the breaker or for calls that have not ended.
 */
export function hasRoom(
  turn: OriginTurn,
  { windowEndsAt }: DueCallback,
  { limits, now }: { limits: CallLimits; now: Date },
): boolean {
  const isLast = windowEndsAt !== null && windowEndsAt <= now
  const callsMax = turn.callsMax * (isLast ? limits.lastCallsFactor : 1)
  return turn.callsInProgress < callsMax && hasToken(turn.bucket)
}

/**
 * Whether the breaker of the origin withholds the callback: until the breaker's time is over, but never past the time
 * by which the attempt is promised.
 */
export function isWithheld({ health }: OriginTurn, callback: DueCallback, now: Date): boolean {
  return isShut(health, now) && promisedBy(callback) > now
}

/** Counts a call that starts now. The first one after an open breaker's time is its probe. */
export function take(
  turn: OriginTurn,
  id: string,
  { now, limits }: { now: Date; limits: CallLimits },
): void {
  turn.isChanged = true
  const isWithin = turn.callsInProgress < turn.callsMax
  ;(isWithin ? turn.taken : turn.takenBeyond).push(id)
  turn.callsInProgress += 1
  turn.bucket = takeToken(turn.bucket)
  const { breaker } = turn.health
  if (breaker === 'closed' || isShut(turn.health, now)) return
  const breakerUntil = new Date(now.getTime() + limits.probeSeconds * 1000)
  turn.health = { ...turn.health, breaker: 'half-open', breakerUntil }
}

function isShut({ breakerUntil }: OriginHealth, now: Date): boolean {
  return +(breakerUntil ?? 0) > +now
}

// A round without a window has no last attempt; its only attempt is promised.
function promisedBy({ isFirst, owedSince, windowEndsAt }: DueCallback): Date {
  if (!isFirst && windowEndsAt) return windowEndsAt
  return new Date(owedSince.getTime() + firstAttemptWaitSeconds * 1000)
}

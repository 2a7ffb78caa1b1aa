import type { OriginHealth, RateBucket } from './origin-health.ts'
import {
  beginTurn,
  hasRoom,
  isHeld,
  isReady,
  isWithheld,
  type OriginTurn,
  take,
} from './origin-turn.ts'

/** A callback in state DUE: one that is due, is held, or stands in the lane of such a one. */
export type DueCallback = {
  id: string
  origin: string
  /** Of one lane one callback is held at a time. */
  lane: string
  /** Order within the lane. */
  sequence: number
  dueAt: Date
  /** When it was owed or, if it was sent again, asked for. */
  owedSince: Date
  /** Its round has had no attempt. */
  isFirst: boolean
  /** Null before the first attempt, and when retries are off. */
  windowEndsAt: Date | null
  /** A process holds it until then. */
  heldUntil: Date | null
}

export type KnownOrigin = {
  health: OriginHealth
  /** Null: full. */
  bucket: RateBucket | null
}

export type CallLimits = {
  /** Calls under way at an origin, over all processes. */
  callsPerOriginMax: number
  /** The same when an attempt is the last of its window. */
  lastCallsPerOriginMax: number
  callsPerSecondMax: number
  /** After which a probe counts as lost. */
  probeSeconds: number
  /** Of the room that there is, what is kept for origins that have no call under way: slow ones together cannot fill it. */
  reservedCalls: number
}

export type Choice = {
  taken: string[]
  /** Those that have changed. */
  origins: { origin: string; health: OriginHealth; bucket: RateBucket }[]
}

/**
 * Decides which callbacks are attempted now. Of a lane one at a time, the lowest sequence of those that are due; of the
 * origins one each in turn, in the order in which they come, until `free` is used up but for what is reserved; at an origin
 * no more than its limits.
 * `due` has every held callback of its origins and lanes. An origin whose breaker is open gets one call as a probe when its
 * time has come; what else is due there waits as it is, first attempts for five minutes at most and last ones not at all.
 */
export function chooseCallbacks(given: {
  due: readonly DueCallback[]
  origins: ReadonlyMap<string, KnownOrigin>
  now: Date
  /** Calls that there is room for. */
  free: number
  limits: CallLimits
}): Choice {
  const pass = beginPass(given)
  takeInTurn(pass, given.free)
  const turns = [...pass.turns.values()]
  return {
    taken: [...pass.taken],
    origins: turns
      .filter(({ isChanged }) => isChanged)
      .map(({ origin, health, bucket }) => ({ origin, health, bucket })),
  }
}

type Pass = {
  now: Date
  limits: CallLimits
  lanes: ReadonlyMap<string, readonly DueCallback[]>
  turns: ReadonlyMap<string, OriginTurn>
  taken: Set<string>
}

function beginPass(given: {
  due: readonly DueCallback[]
  origins: ReadonlyMap<string, KnownOrigin>
  now: Date
  limits: CallLimits
}): Pass {
  const { due, origins, now, limits } = given
  const turns = [...Map.groupBy(due, ({ origin }) => origin)].map(([origin, callbacks]) =>
    beginTurn({ origin, callbacks, known: origins.get(origin), now, limits }),
  )
  return {
    now,
    limits,
    lanes: Map.groupBy(due, ({ lane }) => lane),
    turns: new Map(turns.map((turn) => [turn.origin, turn])),
    taken: new Set(),
  }
}

// An origin with nothing to take is out: what others take makes room for none of its callbacks.
function takeInTurn(pass: Pass, free: number): void {
  let active = [...pass.turns.values()]
  while (active.length > 0 && pass.taken.size < free) {
    active = active.filter((turn) => mayTakeMore(pass, turn, free) && takeOne(pass, turn))
  }
}

function mayTakeMore({ taken, limits }: Pass, { held }: OriginTurn, free: number): boolean {
  const room = free - taken.size
  return room > (held > 0 ? limits.reservedCalls : 0)
}

function takeOne(pass: Pass, turn: OriginTurn): boolean {
  const next = turn.ready.find((callback) => mayBeTaken(pass, turn, callback))
  if (!next) return false
  pass.taken.add(next.id)
  take(turn, pass)
  return true
}

function mayBeTaken(pass: Pass, turn: OriginTurn, callback: DueCallback): boolean {
  const { now, lanes, taken } = pass
  return (
    !taken.has(callback.id) &&
    hasRoom(turn, callback, pass) &&
    !isWithheld(turn, callback, now) &&
    !lanes.get(callback.lane)?.some((other) => goesBefore(pass, other, callback))
  )
}

// A callback that a breaker holds back holds up nobody.
function goesBefore(pass: Pass, other: DueCallback, callback: DueCallback): boolean {
  const { now, turns, taken } = pass
  if (isHeld(other, now) || taken.has(other.id)) return true
  if (other.sequence >= callback.sequence || !isReady(other, now)) return false
  return !isWithheld(turns.get(other.origin)!, other, now)
}

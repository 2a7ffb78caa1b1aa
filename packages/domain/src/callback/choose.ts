import type { OriginHealth, RateBucket } from './origin-health.ts'
import { beginTurn, hasRoom, isReady, isWithheld, type OriginTurn, take } from './origin-turn.ts'
import { hasToken, takeToken } from './rate-bucket.ts'

/** A callback in state DUE. It is due, under way, or has the ordering key of such a callback. */
export type DueCallback = {
  id: string
  consumerId: string
  origin: string
  /** Its print job or, of a test message, itself. At most one callback with the same key is under way at a time. */
  orderingKey: string
  /** Order among those with the same ordering key. */
  sequence: number
  dueAt: Date
  /** When it became owed or, for a replay, when the replay was requested. */
  owedSince: Date
  /** No attempt has been made in its round. */
  isFirst: boolean
  /** Null before the first attempt, and when retries are off. */
  windowEndsAt: Date | null
  /** A process has taken it. */
  isUnderWay: boolean
  /** How many calls at once its contract allows to the origin. */
  callsMax: number
  /**
   * It may be taken before it can be called. If the process dies, those with the same ordering key wait for the lease, so
   * none of them may be near the end of a window.
   */
  mayWaitInTurn: boolean
}

export type KnownOrigin = {
  health: OriginHealth
  /** Null: a full bucket. */
  bucket: RateBucket | null
}

export type CallLimits = {
  /** The maximum of concurrent calls to an origin, over all processes, however many contracts allow. */
  callsPerOriginMax: number
  /** For attempts that are the last of their window, the limit of calls to the origin is so many times higher. */
  lastCallsFactor: number
  callsPerSecondMax: number
  /** The time after which a probe counts as lost. */
  probeSeconds: number
  /**
   * Free calls that are reserved for origins without a call in progress, so that slow origins together cannot use all
   * of them.
   */
  reservedCalls: number
  /** A turn of an origin has at most so many callbacks for each call that it makes at once. */
  turnLength: number
}

/** The calls of all processes to an origin. */
export type CallsOfOrigin = {
  underWay: number
  /** The most calls at once that a contract of theirs allows. */
  callsMax: number
}

/** The number of calls under way, by consumer. */
export type CallsOfConsumers = ReadonlyMap<string, number>

/**
 * A consumer has at most eight times as many calls under way as the process could still start. So one alone takes eight
 * ninths of them, two take eight seventeenths each, and however many hang, the next consumer finds free ones.
 */
const shareOfFree = 8

/** Returns whether a consumer may have another call, given how many calls the process can still start. */
export function hasShare(calls: CallsOfConsumers, consumerId: string, free: number): boolean {
  return (calls.get(consumerId) ?? 0) < shareOfFree * free
}

export type Choice = {
  /** What is called at once. */
  taken: string[]
  turns: Turn[]
  /** The origins that have changed. */
  origins: { origin: string; health: OriginHealth; bucket: RateBucket }[]
}

/** The callbacks that a process takes for an origin. It calls them in this order, `atOnce` at a time. */
export type Turn = { origin: string; callbacks: string[]; atOnce: number }

/**
 * Decides which callbacks are attempted now. Of each ordering key it takes one at a time, the lowest sequence among those
 * that are due. It takes one callback per origin in turn, in the given order, and never exceeds the limits of an
 * origin, nor the share of a consumer. It stops when `free` is used up except for the reserved calls. Where a
 * callback is under way, `due` contains that one too, or none with its key. An origin whose breaker is open gets one probe call when its time
 * has come. Its other due callbacks wait, first attempts for at most five minutes and last attempts not at all. The turn
 * of an origin whose breaker is closed also gets callbacks that are called as its first calls end, each with its own key.
 */
export function chooseCallbacks(given: {
  due: readonly DueCallback[]
  origins: ReadonlyMap<string, KnownOrigin>
  /** Absent: none. */
  calls: ReadonlyMap<string, CallsOfOrigin>
  now: Date
  /** The number of calls that the process can start now. */
  free: number
  underWay: CallsOfConsumers
  limits: CallLimits
}): Choice {
  const pass = beginPass(given)
  takeInTurn(pass, oneOfEachConsumer([...pass.turns.values()]))
  const taken = [...pass.taken]
  const turns = [...pass.turns.values()]
  return {
    taken,
    turns: turns.flatMap((turn) => [...extend(pass, turn), ...beyondLimit(turn)]),
    origins: turns
      .filter(({ isChanged }) => isChanged)
      .map(({ origin, health, bucket }) => ({ origin, health, bucket })),
  }
}

type Pass = {
  now: Date
  limits: CallLimits
  free: number
  calls: Map<string, number>
  byKey: ReadonlyMap<string, readonly DueCallback[]>
  turns: ReadonlyMap<string, OriginTurn>
  taken: Set<string>
}

function beginPass(given: {
  due: readonly DueCallback[]
  origins: ReadonlyMap<string, KnownOrigin>
  calls: ReadonlyMap<string, CallsOfOrigin>
  now: Date
  free: number
  underWay: CallsOfConsumers
  limits: CallLimits
}): Pass {
  const { due, origins, calls, now, free, underWay, limits } = given
  const turns = [...Map.groupBy(due, ({ origin }) => origin)].map(([origin, callbacks]) =>
    beginTurn({
      origin,
      callbacks,
      known: origins.get(origin),
      calls: calls.get(origin),
      now,
      limits,
    }),
  )
  return {
    now,
    limits,
    free,
    calls: new Map(underWay),
    byKey: Map.groupBy(due, ({ orderingKey }) => orderingKey),
    turns: new Map(turns.map((turn) => [turn.origin, turn])),
    taken: new Set(),
  }
}

// An origin without a callback to take gets no further turn: calls taken for other origins never make room for it.
function takeInTurn(pass: Pass, turns: readonly OriginTurn[]): void {
  const active = turns.filter((turn) => mayTakeMore(pass, turn) && takeOne(pass, turn))
  if (active.length > 0) takeInTurn(pass, active)
}

/** Returns the turns in an order in which consumers take turns too. The given order decides between them, and within each. */
function oneOfEachConsumer(turns: readonly OriginTurn[]): OriginTurn[] {
  const ofConsumers = Map.groupBy(turns, ({ ready }) => ready[0]?.consumerId)
  const ranked = [...ofConsumers.values()].flatMap((own) =>
    own.map((turn, rank) => ({ turn, rank })),
  )
  return ranked.sort((one, other) => one.rank - other.rank).map(({ turn }) => turn)
}

function mayTakeMore(pass: Pass, { callsInProgress }: OriginTurn): boolean {
  return freeCalls(pass) > (callsInProgress > 0 ? pass.limits.reservedCalls : 0)
}

function freeCalls({ free, taken }: Pass): number {
  return free - taken.size
}

function takeOne(pass: Pass, turn: OriginTurn): boolean {
  const next = chooseNext(pass, turn, mayBeTaken)
  if (!next) return false
  pass.taken.add(next.id)
  pass.calls.set(next.consumerId, callsOf(pass, next) + 1)
  take(turn, next.id, pass)
  return true
}

/** Last attempts beyond the usual limit are a turn of their own: when one ends, nothing else takes its room. */
function beyondLimit({ origin, takenBeyond }: OriginTurn): Turn[] {
  if (takenBeyond.length === 0) return []
  return [{ origin, callbacks: takenBeyond, atOnce: takenBeyond.length }]
}

/** Adds callbacks that follow the ones taken. Those of all consumers follow in turn. */
function extend(pass: Pass, turn: OriginTurn): Turn[] {
  const { origin, taken } = turn
  if (taken.length === 0) return []
  const lengthMax = taken.length * pass.limits.turnLength
  const callbacks = [...taken]
  while (
    turn.health.breaker === 'closed' &&
    callbacks.length < lengthMax &&
    hasToken(turn.bucket)
  ) {
    const next = chooseNext(pass, turn, mayFollow)
    if (!next) break
    pass.taken.add(next.id)
    pass.calls.set(next.consumerId, callsOf(pass, next) + 1)
    turn.bucket = takeToken(turn.bucket)
    callbacks.push(next.id)
  }
  return [{ origin, callbacks, atOnce: taken.length }]
}

/** Returns the callback that is due longest of those whose consumers have the fewest calls under way. */
function chooseNext(
  pass: Pass,
  turn: OriginTurn,
  mayBeChosen: (pass: Pass, turn: OriginTurn, callback: DueCallback) => boolean,
): DueCallback | undefined {
  let next: DueCallback | undefined
  for (const callback of turn.ready) {
    if (next && callsOf(pass, callback) >= callsOf(pass, next)) continue
    if (mayBeChosen(pass, turn, callback)) next = callback
  }
  return next
}

function callsOf({ calls }: Pass, { consumerId }: DueCallback): number {
  return calls.get(consumerId) ?? 0
}

function mayBeTaken(pass: Pass, turn: OriginTurn, callback: DueCallback): boolean {
  return (
    hasShare(pass.calls, callback.consumerId, freeCalls(pass)) &&
    hasRoom(turn, callback, pass) &&
    !isWithheld(turn, callback, pass.now) &&
    isFirstOfKey(pass, callback)
  )
}

function mayFollow(pass: Pass, _turn: OriginTurn, callback: DueCallback): boolean {
  return callback.mayWaitInTurn && isFirstOfKey(pass, callback)
}

function isFirstOfKey(pass: Pass, callback: DueCallback): boolean {
  return !pass.byKey.get(callback.orderingKey)!.some((other) => goesBefore(pass, other, callback))
}

// Whether a callback with the key must come first: it is under way or chosen, as the callback itself may be, or it is due
// and earlier. One that a breaker withholds blocks no other.
function goesBefore(pass: Pass, other: DueCallback, callback: DueCallback): boolean {
  const { now, turns, taken } = pass
  if (other.isUnderWay || taken.has(other.id)) return true
  if (other.sequence >= callback.sequence || !isReady(other, now)) return false
  return !isWithheld(turns.get(other.origin)!, other, now)
}

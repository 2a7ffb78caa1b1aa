import { initialHealth, isFailureOfOrigin, recordCalls } from '../src/callback/breaker.ts'
import {
  type CallLimits,
  type CallsOfOrigin,
  type Choice,
  chooseCallbacks,
  type DueCallback,
  type KnownOrigin,
} from '../src/callback/choose.ts'
import { type AttemptResult, planNextAttempt, windowEndOf } from '../src/callback/retry.ts'
import type { RetryParams } from '../src/print-job/params.ts'

const leaseMs = 30_000
const pollMs = 500
const lookAhead = 24

/** Returns how an origin handles a call at a time, with some chance. 'lost': the process that called died. */
type Consumer = (
  atMs: number,
  random: () => number,
) => { result: AttemptResult | 'lost'; ms: number }

const answered = (httpStatus: number, retryAfterSeconds?: number): AttemptResult => ({
  kind: 'answered',
  httpStatus,
  retryAfterSeconds,
})
const consumers = {
  healthy: (_, random) => ({ result: answered(204), ms: 10 + 40 * random() }),
  slow: (_, random) => ({ result: answered(200), ms: 8_000 + 6_000 * random() }),
  silent: () => ({ result: { kind: 'unknown' }, ms: 15_000 }),
  dead: () => ({ result: { kind: 'unreached' }, ms: 1 }),
  flapping: (atMs) => ({ result: answered(Math.floor(atMs / 45_000) % 2 ? 200 : 503), ms: 20 }),
  unsteady: (_, random) => ({ result: answered(random() < 0.6 ? 500 : 200), ms: 200 }),
  busy: (_, random) => ({ result: answered(429, Math.floor(400 * random())), ms: 5 }),
  refusing: (_, random) => ({ result: answered(random() < 0.5 ? 404 : 410), ms: 5 }),
  deadly: (_, random) => ({ result: random() < 0.3 ? 'lost' : answered(503), ms: 50 }),
  unknowable: (atMs) => ({ result: atMs < 90_000 ? { kind: 'fault' } : answered(200), ms: 5 }),
} satisfies Record<string, Consumer>
export type Kind = keyof typeof consumers
export const kinds = Object.keys(consumers) as Kind[]

export type Owed = {
  atMs: number
  origin: Kind
  orderingKey: string
  retryParams: RetryParams | undefined
}
type Attempt = { plannedAt: Date; startedAt: Date; endedAt: Date; result: AttemptResult | 'lost' }
type Row = DueCallback & {
  owed: Owed
  end: string | undefined
  firstAttemptAt: Date | undefined
  attempts: Attempt[]
  random: () => number
}
type Call = { row: Row; startedAt: Date; endsAt: Date; result: AttemptResult | 'lost' }
type Left = {
  due: DueCallback[]
  taken: DueCallback[]
  bucketsAfter: Choice['origins']
  free: number
}
type Probe = { row: Row; startedAt: Date }

/**
 * Runs chooser, breaker, bucket and planner together, as processes that share a table use them, on a clock that jumps
 * from one event to the next. `wrongs` lists the violated rules and what violated them.
 */
export class Simulation {
  now = new Date(0)
  readonly rows: Row[]
  readonly origins = new Map<string, KnownOrigin>()
  readonly takes: { origin: string; at: Date }[] = []
  readonly wrongs: string[] = []
  probes = 0
  #calls: Call[] = []
  readonly #probeOf = new Map<string, Probe>()
  readonly #limits: CallLimits
  readonly #free: number

  constructor(given: { owed: readonly Owed[]; limits: CallLimits; free: number }) {
    this.#limits = given.limits
    this.#free = given.free
    const inOrder = [...given.owed].sort((one, other) => one.atMs - other.atMs)
    this.rows = inOrder.map((owed, i) => owe(owed, i, inOrder))
  }

  run(): this {
    for (let steps = 0; steps < 200_000; steps += 1) {
      this.#endCalls()
      this.#take()
      const next = this.#nextMoment()
      if (next === undefined) return this
      this.now = next
    }
    this.wrongs.push('it never ends')
    return this
  }

  #nextMoment(): Date | undefined {
    const live = this.rows.filter(({ end }) => !end)
    const moments = [
      ...this.#calls.map(({ endsAt }) => endsAt),
      ...live.map(({ owed }) => new Date(owed.atMs)),
      ...live.flatMap(({ isUnderWay, dueAt }) => (isUnderWay ? [] : [dueAt])),
      ...(live.length > 0 ? [new Date(this.now.getTime() + pollMs)] : []),
    ].filter((at) => at > this.now)
    return moments.reduce<Date | undefined>(
      (first, at) => (first && first < at ? first : at),
      undefined,
    )
  }

  #endCalls(): void {
    const ended = this.#calls.filter(({ endsAt }) => endsAt <= this.now)
    this.#calls = this.#calls.filter(({ endsAt }) => endsAt > this.now)
    for (const call of ended) this.#endCall(call)
  }

  #endCall({ row, startedAt, endsAt, result }: Call): void {
    const { owed, owedSince, dueAt } = row
    row.isUnderWay = false
    if (result !== 'lost' && result.kind !== 'fault') {
      const known = this.origins.get(row.origin)!
      const call = { at: endsAt, isFailure: isFailureOfOrigin(result) }
      this.origins.set(row.origin, {
        ...known,
        health: recordCalls(known.health, [call], this.now),
      })
    }
    const firstAttemptAt = row.firstAttemptAt ?? startedAt
    const attempt = { plannedAt: dueAt, startedAt, endedAt: endsAt, result }
    const next =
      result === 'lost'
        ? ({ kind: 'retry', at: dueAt } as const)
        : planNextAttempt({
            result,
            retryParams: owed.retryParams,
            attempts: row.attempts.length + 1,
            owedSince,
            firstAttemptAt,
            finishedAt: endsAt,
            random: row.random(),
          })
    if (next.kind !== 'postpone') {
      row.attempts.push(attempt)
      row.firstAttemptAt = firstAttemptAt
      row.isFirst = false
      row.windowEndsAt = windowEndOf(owed.retryParams, firstAttemptAt)
    }
    if ('at' in next) row.dueAt = next.at
    else row.end = next.kind === 'delivered' ? 'delivered' : next.reason
  }

  #take(): void {
    const callsInProgress = this.rows.filter(({ isUnderWay }) => isUnderWay).length
    const due = this.#candidates()
    const choice = chooseCallbacks({
      due,
      origins: this.origins,
      calls: callsUnderWay(due),
      now: this.now,
      free: this.#free - callsInProgress,
      underWay: new Map(),
      limits: this.#limits,
    })
    const taken = choice.taken.map((id) => this.rows.find((row) => row.id === id)!)
    this.#judge(taken, due)
    this.#judgeLeft({
      due,
      taken,
      bucketsAfter: choice.origins,
      free: this.#free - callsInProgress,
    })
    for (const row of taken) this.#call(row)
    for (const { origin, health, bucket } of choice.origins)
      this.origins.set(origin, { health, bucket })
    this.#judgeHeld()
  }

  #isShut({ origin }: DueCallback): boolean {
    const { breakerUntil } = this.origins.get(origin)?.health ?? initialHealth
    return breakerUntil !== null && breakerUntil > this.now
  }

  #isHeldBack(callback: DueCallback): boolean {
    const { breaker } = this.origins.get(callback.origin)?.health ?? initialHealth
    return breaker !== 'closed' && !isOwedNow(callback, this.now)
  }

  /**
   * Finds candidates as the store does: for each origin the callbacks under way, those that have been due longest, and all
   * with their ordering keys.
   */
  #candidates(): DueCallback[] {
    const live = this.rows.filter((row) => !row.end && row.owed.atMs <= this.now.getTime())
    const seen = [...Map.groupBy(live, ({ origin }) => origin).values()].flatMap((rows) =>
      rows
        .filter((row) => row.isUnderWay || this.#isFound(row))
        .sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime())
        .filter(({ isUnderWay }, i) => isUnderWay || i < lookAhead),
    )
    const orderingKeys = new Set(seen.map(({ orderingKey }) => orderingKey))
    return live.filter(({ orderingKey }) => orderingKeys.has(orderingKey))
  }

  #isFound(row: DueCallback): boolean {
    return row.dueAt <= this.now && (!this.#isShut(row) || isOwedNow(row, this.now))
  }

  #call(row: Row): void {
    const { result, ms } = consumers[row.owed.origin](this.now.getTime(), row.random)
    const endsAt = new Date(this.now.getTime() + (result === 'lost' ? leaseMs : Math.ceil(ms)))
    row.isUnderWay = true
    this.#calls.push({ row, startedAt: this.now, endsAt, result })
    this.takes.push({ origin: row.origin, at: this.now })
  }

  #judge(taken: Row[], due: DueCallback[]): void {
    const { now, wrongs } = this
    for (const row of taken) {
      const before = due.filter(
        (other) =>
          other.orderingKey === row.orderingKey &&
          other.sequence < row.sequence &&
          other.dueAt <= now &&
          !(isOwedNow(row, now) && this.#isHeldBack(other)),
      )
      if (before.length > 0) wrongs.push(`${row.id} overtakes ${before[0]!.id}`)
      if (row.dueAt > now) wrongs.push(`${row.id} is early`)
      if (!isOwedNow(row, now)) this.#judgeProbe(row)
    }
  }

  /**
   * Checks that no callback was left that could have been called. If the free calls ran out, no skipped origin may have
   * had at least two fewer calls than another.
   */
  #judgeLeft({ due, taken, bucketsAfter, free }: Left): void {
    const after = new Map(bucketsAfter.map(({ origin, bucket }) => [origin, bucket]))
    const isUnderWay = (row: DueCallback) => row.isUnderWay || taken.some(({ id }) => id === row.id)
    const isWaiting = (row: DueCallback) => row.dueAt <= this.now && !isUnderWay(row)
    const callsOf = (origin: string, calls: DueCallback[]) =>
      calls.filter((row) => row.origin === origin)
    const left = due.filter((row) => {
      const { health, bucket } = this.origins.get(row.origin) ?? {
        health: initialHealth,
        bucket: null,
      }
      const tokens = after.get(row.origin)?.tokens ?? bucket?.tokens ?? 1
      return (
        isWaiting(row) &&
        health.breaker === 'closed' &&
        tokens >= 1 &&
        callsOf(row.origin, due.filter(isUnderWay)).length < this.#limits.callsPerOriginMax &&
        !due.some((other) => other.orderingKey === row.orderingKey && isUnderWay(other)) &&
        !due.some(
          (other) =>
            other.orderingKey === row.orderingKey &&
            other.sequence < row.sequence &&
            isWaiting(other),
        )
      )
    })
    for (const { id, origin } of left) {
      if (taken.length < free) this.wrongs.push(`${id} is left although it could be called`)
      const calls = callsOf(origin, taken).length
      const most = Math.max(0, ...taken.map((other) => callsOf(other.origin, taken).length))
      if (most > calls + 1) this.wrongs.push(`${id} is left while another origin has ${most} calls`)
    }
  }

  #judgeProbe(row: Row): void {
    const { breaker, breakerUntil } = this.origins.get(row.origin)?.health ?? initialHealth
    if (breaker === 'closed') return
    if (breakerUntil! > this.now) this.wrongs.push(`${row.id} goes through a breaker`)
    const probe = this.#probeOf.get(row.origin)
    if (probe && this.#isOut(probe)) this.wrongs.push(`${row.id} is a second probe`)
    this.probes += 1
    this.#probeOf.set(row.origin, { row, startedAt: this.now })
  }

  #isOut({ row, startedAt }: Probe): boolean {
    if (startedAt === this.now) return true
    const lostAt = startedAt.getTime() + this.#limits.probeSeconds * 1000
    return (
      lostAt > this.now.getTime() &&
      this.#calls.some((call) => call.row === row && call.startedAt === startedAt)
    )
  }

  #judgeHeld(): void {
    const { callsPerOriginMax, lastCallsFactor } = this.#limits
    const callsInProgress = this.rows.filter(({ isUnderWay }) => isUnderWay)
    for (const [orderingKey, rows] of Map.groupBy(callsInProgress, (row) => row.orderingKey)) {
      if (rows.length > 1) this.wrongs.push(`${orderingKey} has ${rows.length} calls`)
    }
    for (const [origin, rows] of Map.groupBy(callsInProgress, (row) => row.origin)) {
      const others = rows.filter(({ windowEndsAt }) => !windowEndsAt || this.now < windowEndsAt)
      if (others.length > callsPerOriginMax) this.wrongs.push(`${origin} has too many calls`)
      if (rows.length > lastCallsFactor * callsPerOriginMax)
        this.wrongs.push(`${origin} has far too many calls`)
    }
    if (callsInProgress.length > this.#free) this.wrongs.push('more calls than there is room for')
  }
}

function owe(owed: Owed, i: number, all: readonly Owed[]): Row {
  const { origin, orderingKey } = owed
  const at = new Date(owed.atMs)
  const sequence = all.slice(0, i).filter((other) => other.orderingKey === orderingKey).length + 1
  return {
    id: `${orderingKey} ${sequence}`,
    consumerId: orderingKey,
    callsMax: 8,
    origin,
    orderingKey,
    sequence,
    dueAt: at,
    owedSince: at,
    isFirst: true,
    windowEndsAt: null,
    isUnderWay: false,
    mayWaitInTurn: true,
    owed,
    end: undefined,
    firstAttemptAt: undefined,
    attempts: [],
    // Each callback has its own random numbers, so that other callbacks do not affect its course.
    random: randomsFrom(hash(`${orderingKey} ${sequence}`)),
  }
}

function promisedBy({ isFirst, owedSince, windowEndsAt }: DueCallback): Date {
  return !isFirst && windowEndsAt ? windowEndsAt : new Date(owedSince.getTime() + 300_000)
}

function isOwedNow(callback: DueCallback, now: Date): boolean {
  return promisedBy(callback) <= now
}

function hash(text: string): number {
  return [...text].reduce((sum, char) => (Math.imul(sum, 31) + char.charCodeAt(0)) >>> 0, 7)
}

/** Returns the same sequence of numbers from 0 to 1 in every run. */
function randomsFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Returns what is wrong with the end of a callback. */
export function judgeEnd({ id, owed, end, attempts, windowEndsAt }: Row): string[] {
  const last = attempts.at(-1)
  if (!end) return [`${id} never ends`]
  if (!last) return [`${id} has no attempt`]
  const wrongs: string[] = []
  const wasLost = attempts.some(({ result }) => result === 'lost')
  const isDelivered = (attempt: Attempt) =>
    attempt.result !== 'lost' &&
    attempt.result.kind === 'answered' &&
    attempt.result.httpStatus < 300
  const deliveries = attempts.filter(isDelivered).length
  if (deliveries !== Number(end === 'delivered'))
    wrongs.push(`${id} is delivered ${deliveries} times`)
  if (!owed.retryParams && attempts.length > 1 && !wasLost) wrongs.push(`${id} is tried again`)
  if (!windowEndsAt) return wrongs
  if (end === 'window-ended' && last.endedAt < windowEndsAt)
    wrongs.push(`${id} has no last attempt`)
  if (attempts.slice(1).some(({ plannedAt }) => plannedAt > windowEndsAt)) {
    wrongs.push(`${id} is planned past its window`)
  }
  const after = attempts.filter(({ startedAt }) => startedAt >= windowEndsAt)
  if (after.length > 1 && !wasLost) wrongs.push(`${id} has ${after.length} last attempts`)
  return wrongs
}

export function judgeRate({ takes }: Simulation, callsPerSecondMax: number): string[] {
  return [...Map.groupBy(takes, ({ origin }) => origin)].flatMap(([origin, calls]) => {
    const isTooFast = calls.some(({ at }, i) => {
      const until = calls.findIndex((call) => call.at.getTime() > at.getTime() + 1_000)
      return (until < 0 ? calls.length : until) - i > 2 * callsPerSecondMax
    })
    return isTooFast ? [`${origin} is called too fast`] : []
  })
}

/** Counts the calls under way of each origin. */
export function callsUnderWay(callbacks: readonly DueCallback[]): Map<string, CallsOfOrigin> {
  const underWay = callbacks.filter((callback) => callback.isUnderWay)
  return new Map(
    [...Map.groupBy(underWay, ({ origin }) => origin)].map(([origin, calls]) => [
      origin,
      { underWay: calls.length, callsMax: Math.max(...calls.map(({ callsMax }) => callsMax)) },
    ]),
  )
}

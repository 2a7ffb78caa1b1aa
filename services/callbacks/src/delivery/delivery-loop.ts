import type { HealthCheck } from '@despatch/http/health'
import type { EndedTurns } from '@despatch/store/callback/end-turns'
import type { TakenCallback } from '@despatch/store/callback/lease'
import type { Take } from '@despatch/store/callback/take'
import { beginWork } from '@despatch/telemetry/work-under-way'
import { createTurns } from './turns.ts'

export type DeliveryLoop = {
  /** Signals that a callback may be due. */
  wake(): void
  /** When the last pass without an error ended; before the first one, when the loop started. */
  lastPassAt(): Date
  /** Takes no more callbacks, and waits at most `leaseMs` for calls under way. */
  close(): Promise<void>
}

/** When a pass asked for its turns, from when the leases run, and when it heard the time of the database (performance.now). */
type Asked = { requestedAt: number; heardAt: number }

/** The turn that an attempt belongs to. */
export type TurnOfCall = Asked & {
  /** The call has ended, so that the turn may make another. `isFailure`: its origin is in trouble. */
  answered(isFailure: boolean): void
}

export type DeliveryLoopOptions = {
  take: (wanted: {
    free: number
    originAfter: string | undefined
    dueAfter: Date | undefined
    /** The calls of each consumer that are under way. */
    underWay: ReadonlyMap<string, number>
    /** What became of turns since the last pass. */
    ended: EndedTurns
    newBatch: () => string
    /** Nothing says that a callback is due. */
    looksFirst: boolean
  }) => Promise<Take>
  /** Gives back what turns have no more. */
  endTurns: (ended: EndedTurns) => Promise<void>
  /** Makes an attempt at a callback. */
  deliver: (callback: TakenCallback, turn: TurnOfCall) => Promise<void>
  /** Maximum number of calls under way. */
  concurrency: number
  /** Interval between passes when no callback is known to be due. */
  pollMs: number
  /** The same while nothing is owed. */
  restMs: () => number
  /** How long `close` waits at most. */
  leaseMs: number
  onError: (error: Error) => void
  random?: () => number
}

/**
 * The interval between passes unless many slots have become free: a pass for one row costs as much as a pass for many.
 */
const gatherMs = 5
/** On a busy machine, passes take at most half of the time: the interval is as long as the last pass, up to this. */
const gatherMsMax = 50
/** The calls of a turn end together, more or less, and an origin gets a longer turn when it has no other. */
const settleMs = 10
const busyMs = { min: 5, max: 20 }
const backoffMs = { first: 100, longest: 5_000 }
/**
 * A due callback that was not taken waits for its origin. Calls of other processes to that origin end without a nudge.
 */
const heldUpMs = 50
/** After this many empty passes among many origins in a row, the loop rests. */
const emptyPassesMax = 10
const passAgeMsMax = 30_000
/** A deadline ends the statements of a take, and the lease ends a delivery. A pass that runs for longer is stuck. */
const stuckMs = 5 * 60_000

type Rest = { isOver: () => boolean; end: () => void }

/**
 * Takes due callbacks from the table while slots are free, and starts their delivery. It sleeps until the next callback
 * is due, the poll interval ends or a nudge arrives. The end of a delivery wakes it too, because that delivery may
 * have held up another one of its print job or origin.
 */
export function startDeliveryLoop(options: DeliveryLoopOptions): DeliveryLoop {
  const {
    take,
    endTurns,
    deliver,
    concurrency,
    pollMs,
    restMs,
    leaseMs,
    onError,
    random = Math.random,
  } = options
  const manySlots = Math.ceil(concurrency / 4)
  const turns = createTurns()
  let endedSinceTake = 0
  let firstEndedAt: number | undefined
  let isNudged = false
  let isWanted = true
  let failuresInRow = 0
  let emptyPasses = 0
  let isClosing = false
  let lastPassAt = new Date()
  let lastTakeAt = Number.NEGATIVE_INFINITY
  let lastTakeMs = 0
  let originAfter: string | undefined
  let dueUntil = new Date(0)
  let looksAtNewlyDue = false
  let rest: Rest | undefined

  async function run(): Promise<void> {
    while (!isClosing) {
      await gather()
      if (isClosing) return
      const pauseMs = await pass()
      await restUntil(() => isWanted, pauseMs)
    }
  }

  /** Waits for a free slot, and a little longer for more. Meanwhile others may call what turns have not. */
  async function gather(): Promise<void> {
    const sinceTakeMs = performance.now() - lastTakeAt
    const apartMs = Math.min(Math.max(gatherMs, lastTakeMs), gatherMsMax)
    await restUntil(() => endedSinceTake >= manySlots, apartMs - sinceTakeMs)
    if (firstEndedAt !== undefined) {
      const isDue = () => isNudged || endedSinceTake >= manySlots || turns.open() === 0
      await restUntil(isDue, firstEndedAt + settleMs - performance.now())
    }
    const isFree = () => turns.slots() < concurrency
    while (!isClosing && !isFree()) {
      await restUntil(isFree, pollMs)
      if (!isFree()) await giveBack()
    }
  }

  /** Makes one take. Returns how many milliseconds to rest unless a nudge arrives. */
  async function pass(): Promise<number> {
    const looksFirst = !isWanted
    isWanted = false
    isNudged = false
    endedSinceTake = 0
    firstEndedAt = undefined
    const requestedAt = performance.now()
    const work = beginWork('delivery', stuckMs)
    // Every second pass, so that what becomes due now does not delay what has been due for longer.
    looksAtNewlyDue = !looksAtNewlyDue
    const dueAfter = looksAtNewlyDue ? dueUntil : undefined
    const ended = turns.ended()
    const free = concurrency - turns.slots()
    const underWay = turns.ofConsumers
    const { newBatch } = turns
    const taken = await take({ free, originAfter, dueAfter, underWay, ended, newBatch, looksFirst })
      .catch(toError)
      .finally(work.end)
    lastTakeAt = performance.now()
    lastTakeMs = lastTakeAt - requestedAt
    if (taken instanceof Error) return backOff(taken)
    failuresInRow = 0
    lastPassAt = new Date()
    if (taken.kind === 'busy') {
      // Another process is taking. Neither a nudge nor the end of a delivery changes that.
      await restUntil(() => false, busyMs.min + random() * (busyMs.max - busyMs.min))
      return 0
    }
    originAfter = taken.originAfter
    dueUntil = taken.dueUntil ?? dueUntil
    if (!looksFirst || taken.callbacks.length > 0) turns.changed(ended)
    startAll(turns.begin(taken.callbacks, requestedAt), { requestedAt, heardAt: lastTakeAt })
    emptyPasses = taken.callbacks.length > 0 ? 0 : emptyPasses + 1
    if (taken.isMore && emptyPasses < emptyPassesMax) {
      isWanted = true
      return 0
    }
    emptyPasses = 0
    const isAtRest = taken.nextDueAt === null && turns.open() === 0
    return Math.min(isAtRest ? restMs() : pollMs, untilDueMs(taken.nextDueAt))
  }

  async function backOff(error: Error): Promise<number> {
    onError(error)
    const longMs = Math.min(backoffMs.first * 2 ** failuresInRow, backoffMs.longest)
    failuresInRow += 1
    isWanted = true
    await restUntil(() => false, longMs * (0.5 + random() / 2))
    return 0
  }

  function startAll(callbacks: readonly TakenCallback[], asked: Asked): void {
    for (const callback of callbacks) void start(callback, asked)
  }

  async function start(callback: TakenCallback, asked: Asked): Promise<void> {
    const work = beginWork('callback', stuckMs)
    let isAnswered = false
    let hasMore = false
    const answered = (isFailure: boolean) => {
      if (!isAnswered) startAll(turns.answered(callback, isFailure), asked)
      isAnswered = true
    }
    try {
      await deliver(callback, { ...asked, answered })
      answered(false)
      hasMore = turns.recorded(callback)
    } catch (error) {
      onError(toError(error))
      answered(true)
      turns.lost(callback)
    }
    work.end()
    // while its turn has others to call, it makes no room for another turn
    if (hasMore) return
    endedSinceTake += 1
    firstEndedAt ??= performance.now()
    isWanted = true
    endRest()
  }

  function wake(): void {
    isWanted = true
    isNudged = true
    endRest()
  }

  function endRest(): void {
    if (rest?.isOver()) rest.end()
  }

  function restUntil(isOver: () => boolean, longestMs: number): Promise<void> {
    return waitFor(() => isClosing || isOver(), longestMs)
  }

  function waitFor(isOver: () => boolean, longestMs: number): Promise<void> {
    if (longestMs <= 0 || isOver()) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        rest = undefined
        resolve()
      }
      const timer = Number.isFinite(longestMs) ? setTimeout(end, longestMs) : undefined
      rest = { isOver, end }
    })
  }

  async function close(): Promise<void> {
    isClosing = true
    turns.stop()
    endRest()
    await running
    // other processes may call what this one has not
    await giveBack()
    await waitFor(() => turns.open() === 0, leaseMs)
    await giveBack()
  }

  async function giveBack(): Promise<void> {
    const ended = turns.ended()
    await endTurns(ended).then(
      () => turns.changed(ended),
      (error: unknown) => onError(toError(error)),
    )
  }

  const running = run()
  let closed: Promise<void> | undefined
  return {
    wake,
    lastPassAt: () => lastPassAt,
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

/** Returns whether the loop works. A running loop may be stuck, so the check uses the time of the last good pass. */
export function checkDeliveryLoop(loop: Pick<DeliveryLoop, 'lastPassAt'>, now: Date): HealthCheck {
  const name = 'delivery'
  const ageMs = now.getTime() - loop.lastPassAt().getTime()
  if (ageMs <= passAgeMsMax) return { name, ok: true }
  return { name, ok: false, reason: `no successful pass for ${Math.round(ageMs / 1000)} s` }
}

// This machine's clock may be wrong. That costs one poll interval or a few more passes.
function untilDueMs(nextDueAt: Date | null): number {
  if (!nextDueAt) return Number.POSITIVE_INFINITY
  const untilMs = nextDueAt.getTime() - Date.now()
  return untilMs > 0 ? untilMs : heldUpMs
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

import type { HealthCheck } from '@despatch/http/health'
import type { Take, TakenCallback } from '@despatch/store/callback/take'
import { beginWork } from '@despatch/telemetry/work-under-way'

export type DeliveryLoop = {
  /** Says that something may be due. */
  wake(): void
  /** When a pass last ended without an error; the start, before the first one. */
  lastPassAt(): Date
  /** Takes no more, and waits for what is under way for as long as a lease lasts at most. */
  close(): Promise<void>
}

export type DeliveryLoopOptions = {
  take: (wanted: { free: number; originAfter: string | undefined }) => Promise<Take>
  /** Makes an attempt at what was taken, which was asked for at `askedAt` (performance.now). */
  deliver: (callback: TakenCallback, askedAt: number) => Promise<void>
  /** How many deliveries may be under way. */
  concurrency: number
  /** How often the table is looked at when nothing is known to be due. */
  pollMs: number
  /** How long `close` waits at most. */
  leaseMs: number
  onError: (error: Error) => void
  random?: () => number
}

/** Passes are this far apart unless many slots have come free: a take of one row costs as much as one of many. */
const gatherMs = 5
/** On a busy machine, passes take no more than half of the time: they are as far apart as the last one took, up to this. */
const gatherMsMax = 50
const busyMs = { min: 5, max: 20 }
const backoffMs = { first: 100, longest: 5_000 }
/** What is due and was not taken waits for its origin: calls of other processes there end without a word. */
const heldUpMs = 50
/** Passes that find nothing among many origins follow each other this often before the walk rests. */
const emptyPassesMax = 10
const passAgeMsMax = 30_000
/** A take ends by the deadline of its statements, a delivery with its lease: what goes on for longer is stuck. */
const stuckMs = 5 * 60_000

type Rest = { isOver: () => boolean; end: () => void }

/**
 * Takes callbacks that are due from the table for as long as slots are free, and starts their delivery. It sleeps until the
 * next is due, the poll, a wake-up or the end of a call, which may have held up another of its print job or origin.
 */
export function startDeliveryLoop(options: DeliveryLoopOptions): DeliveryLoop {
  const { take, deliver, concurrency, pollMs, leaseMs, onError, random = Math.random } = options
  const manySlots = Math.ceil(concurrency / 4)
  let underWay = 0
  let endedSinceTake = 0
  let isWanted = false
  let failuresInRow = 0
  let emptyPasses = 0
  let isClosing = false
  let lastPassAt = new Date()
  let lastTakeAt = Number.NEGATIVE_INFINITY
  let lastTakeMs = 0
  let originAfter: string | undefined
  let rest: Rest | undefined

  async function run(): Promise<void> {
    while (!isClosing) {
      await gather()
      if (isClosing) return
      const pauseMs = await pass()
      await restUntil(() => isWanted, pauseMs)
    }
  }

  /** Waits for slots: for one, and a little for more. */
  async function gather(): Promise<void> {
    const sinceTakeMs = performance.now() - lastTakeAt
    const apartMs = Math.min(Math.max(gatherMs, lastTakeMs), gatherMsMax)
    await restUntil(() => endedSinceTake >= manySlots, apartMs - sinceTakeMs)
    await restUntil(() => underWay < concurrency, Number.POSITIVE_INFINITY)
  }

  /** Takes once. Returns how long to rest unless something happens. */
  async function pass(): Promise<number> {
    isWanted = false
    endedSinceTake = 0
    const askedAt = performance.now()
    const work = beginWork('delivery', stuckMs)
    const taken = await take({ free: concurrency - underWay, originAfter })
      .catch(toError)
      .finally(work.end)
    lastTakeAt = performance.now()
    lastTakeMs = lastTakeAt - askedAt
    if (taken instanceof Error) return backOff(taken)
    failuresInRow = 0
    lastPassAt = new Date()
    if (taken.kind === 'busy') {
      // Neither a wake-up nor a call that ended changes that another process takes.
      await restUntil(() => false, busyMs.min + random() * (busyMs.max - busyMs.min))
      return 0
    }
    originAfter = taken.originAfter
    for (const callback of taken.callbacks) start(callback, askedAt)
    emptyPasses = taken.callbacks.length > 0 ? 0 : emptyPasses + 1
    if (taken.isMore && emptyPasses < emptyPassesMax) return 0
    emptyPasses = 0
    return Math.min(pollMs, untilDueMs(taken.nextDueAt))
  }

  async function backOff(error: Error): Promise<number> {
    onError(error)
    const longMs = Math.min(backoffMs.first * 2 ** failuresInRow, backoffMs.longest)
    failuresInRow += 1
    await restUntil(() => false, longMs * (0.5 + random() / 2))
    return 0
  }

  function start(callback: TakenCallback, askedAt: number): void {
    underWay += 1
    const work = beginWork('callback', stuckMs)
    deliver(callback, askedAt)
      .catch((error: unknown) => onError(toError(error)))
      .finally(() => {
        work.end()
        underWay -= 1
        endedSinceTake += 1
        wake()
      })
  }

  function wake(): void {
    isWanted = true
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
    endRest()
    await running
    await waitFor(() => underWay === 0, leaseMs)
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

/** A loop that runs may be stuck: what counts is when a pass last ended well. */
export function checkDeliveryLoop(loop: Pick<DeliveryLoop, 'lastPassAt'>, now: Date): HealthCheck {
  const name = 'delivery'
  const ageMs = now.getTime() - loop.lastPassAt().getTime()
  if (ageMs <= passAgeMsMax) return { name, ok: true }
  return { name, ok: false, reason: `no good pass for ${Math.round(ageMs / 1000)} s` }
}

// By this machine's clock, which may be wrong: that costs a poll, or some looks more.
function untilDueMs(nextDueAt: Date | null): number {
  if (!nextDueAt) return Number.POSITIVE_INFINITY
  const untilMs = nextDueAt.getTime() - Date.now()
  return untilMs > 0 ? untilMs : heldUpMs
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

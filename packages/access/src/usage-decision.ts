import type { UsageDecision, UsageRefusalReason, UsageWindow } from '@despatch/domain/access/usage'
import { Problem } from '@despatch/domain/problem'
import { LRUCache } from 'lru-cache'
import {
  type AddToStore,
  openCount,
  reportCount,
  requestsLeft,
  takeAmount,
  takeOne,
  type UsageCount,
  windowNumber,
} from './usage-count.ts'

/** Decides on one request of a subject (a consumer or a source address) with these windows. */
type DecideUsage = (
  subject: string,
  windows: readonly UsageWindow[],
  bodyBytes?: number,
) => UsageDecision | Promise<UsageDecision>

type UsageDecider = {
  decide: DecideUsage
  /** Reports the counts of the windows of this name to the store. */
  report(window: string): Promise<void>
}

type UsageDeciderOptions = {
  /** Separates the counts of one service from those of others. */
  service: string
  add: AddToStore
  /** The limit of all subjects together. */
  overall: UsageWindow | undefined
  nowMs: () => number
}

type Counts = Map<string, UsageCount>

const subjectsMax = 20_000

/**
 * Counts each request in the second, or in the burst if the second is full, then in the overall limit and in the day. A
 * refused request is not counted in the windows after the refusal. If the day's quota is used up, the request is
 * refused before anything is counted. The bytes of its body are counted last.
 */
export function createUsageDecider({
  service,
  add,
  overall,
  nowMs,
}: UsageDeciderOptions): UsageDecider {
  const subjects = new LRUCache<string, Counts>({ max: subjectsMax })
  const together: Counts = new Map()

  function countsOf(subject: string): Counts {
    const known = subjects.get(subject)
    if (known) return known
    const counts: Counts = new Map()
    subjects.set(subject, counts)
    return counts
  }

  const take = (count: UsageCount | undefined) => (count ? takeOne(count, add) : true)

  function takeFirst(second: UsageCount, burst: UsageCount | undefined) {
    return andThen(takeOne(second, add), (isInSecond) => {
      if (isInSecond) return second
      return burst && andThen(takeOne(burst, add), (isInBurst) => (isInBurst ? burst : undefined))
    })
  }

  function decide(subject: string, windows: readonly UsageWindow[], bodyBytes = 0) {
    const atMs = nowMs()
    const counts = countsOf(subject)
    const find = (name: string) => {
      const window = windows.find((each) => each.name === name)
      return window && countAt(counts, window, `${service} ${subject}`, atMs)
    }
    const second = find('second')
    const burst = find('burst')
    const day = find('day')
    const bytes = find('bytes')
    const all = overall && countAt(together, overall, `${service} overall`, atMs)
    const decision = (...known: (UsageCount | undefined)[]): UsageDecision => ({
      windows,
      left: known.filter((count) => count !== undefined).map((count) => leftOf(count, atMs)),
    })

    if (day && requestsLeft(day) === 0) return refuse('day', decision(day))
    if (bytes && requestsLeft(bytes) === 0 && bodyBytes > 0) {
      return refuse('bytes', decision(bytes))
    }
    const takeBytes = () => bytes && takeAmount(bytes, add, Math.ceil(bodyBytes / 1024))
    return andThen(second && takeFirst(second, burst), (counted) => {
      if (second && !counted) return refuse('rate', decision(second))
      return andThen(take(all), (isTaken) => {
        if (!isTaken) return refuse('overall', decision(counted))
        return andThen(take(day), (isInDay) => {
          if (!isInDay) return refuse('day', decision(day))
          takeBytes()
          return decision(counted, day, bytes)
        })
      })
    })
  }

  return {
    decide,
    async report(window) {
      const counts = [...subjects.values()].flatMap((each) => each.get(window) ?? [])
      const unknown = counts.filter(({ unreported, owed }) => unreported + owed > 0)
      await Promise.all(unknown.map((count) => reportCount(count, add)))
    },
  }
}

/** Returns a refusal. The caller may retry when the windows named in it are over. */
export function refuse(reason: UsageRefusalReason, decision: UsageDecision): UsageDecision {
  const retryAfterSeconds = Math.max(1, ...decision.left.map(({ seconds }) => seconds))
  return {
    ...decision,
    refusal: { reason, problem: usageProblem(reason, decision.windows), retryAfterSeconds },
  }
}

/** Returns the count of the window that contains the given time. Each new window starts a new count. */
function countAt(counts: Counts, limit: UsageWindow, key: string, atMs: number): UsageCount {
  const number = windowNumber(limit, atMs)
  const known = counts.get(limit.name)
  if (known?.number === number) {
    known.limit = limit
    return known
  }
  const count = openCount(key, limit, number)
  counts.set(limit.name, count)
  return count
}

function leftOf(count: UsageCount, atMs: number): UsageWindow {
  const { seconds, ...limit } = count.limit
  const endsAtMs = (count.number + 1) * seconds * 1_000
  const secondsLeft = Math.ceil((endsAtMs - atMs) / 1_000)
  return { ...limit, requests: requestsLeft(count), seconds: secondsLeft }
}

/** Calls `next` synchronously if the value is not a promise, so that a decision without waiting needs no promise. */
export function andThen<T, R>(
  value: T | Promise<T>,
  next: (value: T) => R | Promise<R>,
): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Returns the problem of a refused request, with the numbers of the limit that it exceeded. */
function usageProblem(reason: UsageRefusalReason, windows: readonly UsageWindow[]): Problem {
  const requestsOf = (name: string) => windows.find((window) => window.name === name)?.requests
  switch (reason) {
    case 'rate': {
      const burst = requestsOf('burst')
      const above = burst === undefined ? '' : ` and ${burst} more per minute`
      return tooMany(`the limit is ${requestsOf('second')} per second${above}`)
    }
    case 'day':
      return tooMany(`the limit is ${requestsOf('day')} per day (UTC)`)
    case 'bytes':
      return tooMany(`the limit is ${requestsOf('bytes')} KiB of request bodies per day (UTC)`)
    case 'overall':
      return tooMany('the service receives more requests from all callers than it accepts')
    case 'store':
      return new Problem('unavailable', 'The usage of the service cannot be counted at present')
  }
}

function tooMany(detail: string): Problem {
  return new Problem('too-many-requests', `Too many requests: ${detail}`)
}

import type { UsageWindow } from '@despatch/domain/access/usage'

/**
 * Share of a limit that one process may let through before it reports to the store; at least one request. A process
 * reports when most of a block is used, so at most 25 times in a window. It never reports for a caller that sends fewer
 * requests than that.
 */
const blockShare = 0.05
const reportShare = 0.8

/** Adds to a count that all processes share and returns the new total, or undefined if the store does not answer. */
export type AddToStore = (
  key: string,
  requests: number,
  seconds: number,
) => Promise<number | undefined>

/** Requests that wait for one report to the store. The first `allowed` of them are let through. */
type Group = { size: number; allowed: Promise<number> }

/** One window of one subject, as this process knows it. */
export type UsageCount = {
  readonly key: string
  limit: UsageWindow
  /** Number of the window since 1970, in multiples of its length. */
  readonly number: number
  /** The last total that the store returned. */
  total: number
  /** Let through by this process and not yet in the total. */
  unreported: number
  /** In the total but not in the store, because the store did not answer. */
  owed: number
  wasReported: boolean
  report: Promise<number> | undefined
  group: Group | undefined
}

/** Returns the store's key for the requests of a subject in one window. */
export function usageKey(subject: string, { name }: Pick<UsageWindow, 'name'>, number: number) {
  return `${subject} ${name} ${number}`
}

/** Returns the number of the window that contains the given time. */
export function windowNumber({ seconds }: Pick<UsageWindow, 'seconds'>, atMs: number): number {
  return Math.floor(atMs / (seconds * 1_000))
}

/** Returns the most requests that one process lets through before it reports them to the store. */
export function blockOf({ requests }: Pick<UsageWindow, 'requests'>): number {
  return Math.max(1, Math.floor(requests * blockShare))
}

export function openCount(subject: string, limit: UsageWindow, number: number): UsageCount {
  return {
    key: usageKey(subject, limit, number),
    limit,
    number,
    total: 0,
    unreported: 0,
    owed: 0,
    wasReported: false,
    report: undefined,
    group: undefined,
  }
}

export function requestsLeft({ limit, total, unreported }: UsageCount): number {
  return Math.max(limit.requests - total - unreported, 0)
}

/**
 * Lets one request through if the window has room for it. Returns whether it did.
 *
 * The process decides by itself, from the store's last total and what it has let through since, and reports to the
 * store afterwards, in blocks. A request waits for the store only if its process has a whole block to report, and all
 * waiting requests share one report. So one process holds the limit exactly, and several processes exceed it by at most
 * one block each. If the store does not answer, each process holds the limit on its own.
 */
export function takeOne(count: UsageCount, add: AddToStore): boolean | Promise<boolean> {
  if (requestsLeft(count) === 0) return false
  const block = blockOf(count.limit)
  if (count.unreported >= block) return takeInGroup(count, add)

  count.unreported += 1
  const isMostlyUsed = count.unreported >= block * reportShare
  // Other processes may have used much of a long window by now. A window of one second can be assumed to be new.
  const isUnknown = !count.wasReported && count.limit.seconds > 1
  if (isMostlyUsed || isUnknown) void reportCount(count, add)
  return true
}

/**
 * Adds an amount to a window that has room. Returns false if it has none. The amount that reaches the limit is still
 * let through. Other processes let amounts through until they learn that it is reached. Never waits for the store.
 */
export function takeAmount(count: UsageCount, add: AddToStore, amount: number): boolean {
  if (requestsLeft(count) === 0) return false
  if (amount === 0) return true
  count.unreported += amount
  const isMostlyUsed = count.unreported >= blockOf(count.limit) * reportShare
  if (isMostlyUsed || !count.wasReported) void reportCount(count, add)
  return true
}

/** Reports the count to the store and returns the total after it. One report is under way at a time. */
export function reportCount(count: UsageCount, add: AddToStore): Promise<number> {
  count.report ??= report(count, add).finally(() => {
    count.report = undefined
  })
  return count.report
}

async function report(count: UsageCount, add: AddToStore): Promise<number> {
  const { unreported, owed, key, limit } = count
  count.wasReported = true
  const total = await add(key, unreported + owed, limit.seconds)
  count.unreported -= unreported
  count.total = total ?? count.total + unreported
  count.owed = total === undefined ? owed + unreported : 0
  return count.total
}

async function takeInGroup(count: UsageCount, add: AddToStore): Promise<boolean> {
  count.group ??= openGroup(count, add)
  const { group } = count
  const place = group.size
  group.size += 1
  return place < (await group.allowed)
}

function openGroup(count: UsageCount, add: AddToStore): Group {
  const group: Group = { size: 0, allowed: allowGroup() }
  return group

  async function allowGroup(): Promise<number> {
    // Waits at least one turn, so that all requests that arrive at this moment join the group.
    await count.report
    while (count.report !== undefined) await count.report
    count.group = undefined
    if (requestsLeft(count) === 0) return 0
    count.unreported += group.size
    const total = await reportCount(count, add)
    return group.size - Math.max(total - count.limit.requests, 0)
  }
}

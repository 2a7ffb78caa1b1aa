import type { UsageWindow } from '@despatch/domain/access/usage'

/**
 * How much of a limit one process may let through before it has told the others: at least one request. It tells them when
 * most of a block is used, so at most 25 times in a window, and never for a caller who asks for less.
 */
const blockShare = 0.05
const reportShare = 0.8

/** Adds to a count that all processes share, and gives the new total; undefined when the store does not answer. */
export type AddToStore = (
  key: string,
  requests: number,
  seconds: number,
) => Promise<number | undefined>

/** Requests that had to wait for the store. They ask together; the first `allowed` of them are let through. */
type Group = { size: number; allowed: Promise<number> }

/** One window of one subject, as this process knows it. */
export type UsageCount = {
  readonly key: string
  limit: UsageWindow
  /** Which window it is: whole multiples of the length since 1970. */
  readonly number: number
  /** The total that the store gave last. */
  total: number
  /** Let through here and not yet in the total. */
  unreported: number
  /** In the total, but not in the store, which did not answer. */
  owed: number
  wasReported: boolean
  report: Promise<number> | undefined
  group: Group | undefined
}

/** Under which key the store has the requests of a subject in one window. */
export function usageKey(subject: string, { name }: Pick<UsageWindow, 'name'>, number: number) {
  return `${subject} ${name} ${number}`
}

/** Which window a moment falls into. */
export function windowNumber({ seconds }: Pick<UsageWindow, 'seconds'>, atMs: number): number {
  return Math.floor(atMs / (seconds * 1_000))
}

/** The most that one process lets through before it has told the store of it. */
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
 * Lets one request through if the window has room for it.
 *
 * The decision is made here, from the last total of the store and what was let through since; the store is told
 * afterwards, in blocks. Only a process that has a whole block to report waits for the store, and all its waiting requests
 * ask it at once. So alone a process holds the limit exactly, and several let through at most one block each beyond it. A
 * store that does not answer is done without: each process then holds the limit on its own.
 */
export function takeOne(count: UsageCount, add: AddToStore): boolean | Promise<boolean> {
  if (requestsLeft(count) === 0) return false
  const block = blockOf(count.limit)
  if (count.unreported >= block) return takeInGroup(count, add)

  count.unreported += 1
  const isMostlyUsed = count.unreported >= block * reportShare
  // of a long window others may have used much by now; that one second is new is known
  const isUnknown = !count.wasReported && count.limit.seconds > 1
  if (isMostlyUsed || isUnknown) void reportCount(count, add)
  return true
}

/** Tells the store what it does not know yet. One report is under way at a time. Gives the total after it. */
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
    // at least one turn, so that all who come at this moment are in the group
    await count.report
    while (count.report !== undefined) await count.report
    count.group = undefined
    if (requestsLeft(count) === 0) return 0
    count.unreported += group.size
    const total = await reportCount(count, add)
    return group.size - Math.max(total - count.limit.requests, 0)
  }
}

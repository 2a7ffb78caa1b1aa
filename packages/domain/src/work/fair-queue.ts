import {
  chooseNext,
  type FairChoice,
  type FairLimits,
  type RunningWork,
  type Service,
} from './fair-choice.ts'
import { createVirtualTime } from './virtual-time.ts'

type FairQueue<Work extends { consumerId: string }> = {
  add(work: Work, nowMs: number): void
  /** Decides what to do now, and records it as done. Call it again until it says to wait. */
  next(nowMs: number): FairChoice<Work, Work>
  /** The work gives up its slot, or waits no longer. */
  end(work: Work, nowMs: number): void
  /** Work that was set aside gives up its slot and waits again, in its old order. */
  putBack(work: Work, nowMs: number): void
  isWaiting(work: Work): boolean
  countWaiting(consumerId: string): number
}

/**
 * Holds the work that waits for a slot and the work that has one, and remembers how much each consumer has used. It has
 * no clock: callers pass the time. A consumer is forgotten once all others with work have used as much.
 */
export function createFairQueue<Work extends { consumerId: string }>(
  limits: FairLimits,
): FairQueue<Work> {
  type Entry = RunningWork & { work: Work; arrival: number }
  const waiting: Entry[] = []
  const running: Entry[] = []
  /** Without the work that is running. */
  const time = createVirtualTime<Service>((usedMs) => ({ usedMs, lastStart: 0 }))
  const serviceOf = (consumerId: string) => time.accounts.get(consumerId)!
  let arrivals = 0
  let starts = 0

  function serviceAt(nowMs: number): (consumerId: string) => Service {
    return (consumerId) => {
      const { usedMs, lastStart } = serviceOf(consumerId)
      const own = running.filter((entry) => entry.consumerId === consumerId)
      const runningMs = own.reduce((sum, { startedAtMs }) => sum + nowMs - startedAtMs, 0)
      return { usedMs: usedMs + runningMs, lastStart }
    }
  }

  function advance(nowMs: number): void {
    const active = new Set([...waiting, ...running].map(({ consumerId }) => consumerId))
    if (active.size === 0) time.rest()
    time.advance([...active].map((consumerId) => serviceAt(nowMs)(consumerId).usedMs))
    time.forget((consumerId) => !active.has(consumerId))
  }

  function leaveSlot(work: Work, nowMs: number): Entry | undefined {
    const entry = takeOut(running, work)
    if (!entry) return undefined
    serviceOf(work.consumerId).usedMs += nowMs - entry.startedAtMs
    return entry
  }

  return {
    add(work, nowMs) {
      advance(nowMs)
      const { consumerId } = work
      if (!time.accounts.has(consumerId)) time.enter(consumerId)
      arrivals += 1
      // Stryker disable next-line ObjectLiteral: an absent member decides as false does, but the type requires it
      const state = { isLong: false, isLeaving: false, startedAtMs: 0 }
      waiting.push({ ...state, work, consumerId, arrival: arrivals })
    },

    next(nowMs) {
      const turn = { waiting, running, serviceOf: serviceAt(nowMs), limits, nowMs }
      const choice = chooseNext<Entry, Entry>(turn)
      if (choice.kind === 'wait') return choice
      const { kind, work: entry } = choice
      if (kind === 'set-aside') entry.isLeaving = true
      else {
        takeOut(waiting, entry.work)
        running.push(Object.assign(entry, { startedAtMs: nowMs }))
        starts += 1
        serviceOf(entry.consumerId).lastStart = starts
      }
      return { kind, work: entry.work }
    },

    end(work, nowMs) {
      if (!leaveSlot(work, nowMs)) takeOut(waiting, work)
    },

    putBack(work, nowMs) {
      const entry = leaveSlot(work, nowMs)
      if (!entry) return
      waiting.push(Object.assign(entry, { isLong: true, isLeaving: false }))
      waiting.sort((one, other) => one.arrival - other.arrival)
    },

    isWaiting: (work) => waiting.some((entry) => entry.work === work),
    countWaiting: (id) => waiting.filter(({ consumerId }) => consumerId === id).length,
  }
}

/** Removes the entry of this work and returns it, if there is one. */
function takeOut<Entry extends { work: unknown }>(
  entries: Entry[],
  work: unknown,
): Entry | undefined {
  const index = entries.findIndex((entry) => entry.work === work)
  return index < 0 ? undefined : entries.splice(index, 1)[0]
}

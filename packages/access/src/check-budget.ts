import { LRUCache } from 'lru-cache'
import { usageKey, windowNumber } from './usage-count.ts'
import type { UsageStore } from './usage-store.ts'

/** Limits the processor time that the slow checks of a consumer's files take in an hour, over all processes. */
export type CheckBudget = {
  /** Counts the processor time of a check, in milliseconds, beyond a quarter of a second. */
  spend(consumerId: string, processorMs: number): void
  /** Returns in how many seconds files of the consumer are checked again. Undefined: at once. */
  waitSeconds(consumerId: string): Promise<number | undefined>
  /** Reports what has not been reported. */
  close(): Promise<void>
}

type Spent = {
  key: string
  window: number
  /** Seconds that all processes have used, as the store last reported. */
  totalSeconds: number
  unreportedMs: number
  /** When the store was last asked. */
  askedAtMs: number
  asking: Promise<void> | undefined
}

const hour = { name: 'hour', seconds: 3_600 }
const consumersMax = 20_000
/** Ordinary checks take less and are free, so the budget limits slow files and not the number of letters. */
export const freeMs = 250
/** Each process reports its time in blocks of this size, so it may exceed the budget by this much. */
const blockMs = 5_000
/** For this long, a process relies on what the store said about the other processes. */
const freshMs = 5_000

/**
 * Hours follow the clock of each process. While the store does not answer, each process counts alone. What a process
 * has not reported when it dies is not counted.
 */
export function openCheckBudget({
  store,
  secondsPerHour,
  now = () => new Date(),
  monotonicMs = () => performance.now(),
}: {
  store: Pick<UsageStore, 'add' | 'read'>
  secondsPerHour: number
  now?: () => Date
  monotonicMs?: () => number
}): CheckBudget {
  const consumers = new LRUCache<string, Spent>({ max: consumersMax })

  function spentOf(consumerId: string): Spent {
    const window = windowNumber(hour, now().getTime())
    const known = consumers.get(consumerId)
    if (known?.window === window) return known
    const key = usageKey(`checks ${consumerId}`, hour, window)
    const askedAtMs = Number.NEGATIVE_INFINITY
    const spent = { key, window, totalSeconds: 0, unreportedMs: 0, askedAtMs, asking: undefined }
    consumers.set(consumerId, spent)
    return spent
  }

  /** Reports whole seconds and learns what the other processes have reported. */
  function ask(spent: Spent): Promise<void> {
    spent.asking ??= report(spent).finally(() => {
      spent.asking = undefined
    })
    return spent.asking
  }

  async function report(spent: Spent): Promise<void> {
    const seconds = Math.floor(spent.unreportedMs / 1_000)
    spent.askedAtMs = monotonicMs()
    const total = await (seconds > 0
      ? store.add(spent.key, seconds, hour.seconds)
      : store.read(spent.key))
    if (total === undefined) return
    spent.totalSeconds = total
    spent.unreportedMs -= seconds * 1_000
  }

  return {
    spend(consumerId, processorMs) {
      if (processorMs <= freeMs) return
      const spent = spentOf(consumerId)
      spent.unreportedMs += processorMs - freeMs
      if (spent.unreportedMs >= blockMs) void ask(spent)
    },

    async waitSeconds(consumerId) {
      const spent = spentOf(consumerId)
      if (spent.asking || monotonicMs() - spent.askedAtMs >= freshMs) await ask(spent)
      if (spent.totalSeconds + spent.unreportedMs / 1_000 < secondsPerHour) return undefined
      const endsAtMs = (spent.window + 1) * hour.seconds * 1_000
      return Math.max(1, Math.ceil((endsAtMs - now().getTime()) / 1_000))
    },

    async close() {
      const unreported = [...consumers.values()].filter(({ unreportedMs }) => unreportedMs >= 1_000)
      await Promise.all(unreported.map(ask))
    },
  }
}

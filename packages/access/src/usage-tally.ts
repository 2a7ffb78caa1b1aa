import type { UsageOfDay } from '@despatch/store/access/usage-of-day'

const saveEveryMs = 10_000
const daySeconds = 24 * 60 * 60

type Tally = UsageOfDay & { second: number; inSecond: number }

/** Counts the requests of consumers, also where no plan limits a day. */
type UsageTally = {
  count(consumerId: string, isRefused: boolean): void
  /** Saves what was counted since the last time, and stops. */
  close(): Promise<void>
}

type UsageTallyOptions = {
  save: (usages: readonly UsageOfDay[]) => Promise<void>
  nowMs: () => number
  onError: (error: Error) => void
}

/** Starts counting. Saves every 10 seconds; what cannot be saved is saved the next time. */
export function startUsageTally({ save, nowMs, onError }: UsageTallyOptions): UsageTally {
  const tallies = new Map<string, Tally>()
  let saving: Promise<void> | undefined

  /** Returns the consumer's counts. Each new day starts them again. */
  function tallyOf(consumerId: string, second: number): Tally {
    const day = Math.floor(second / daySeconds)
    const known = tallies.get(consumerId)
    if (known?.day === day) return known
    const fresh = {
      consumerId,
      day,
      requests: 0,
      refused: 0,
      peakPerSecond: 0,
      second,
      inSecond: 0,
    }
    tallies.set(consumerId, fresh)
    return fresh
  }

  async function saveAll(): Promise<void> {
    const counted = [...tallies.values()].filter(({ requests, refused }) => requests + refused > 0)
    const usages = counted.map(({ second: _, inSecond: __, ...usage }) => usage)
    for (const [consumerId, { requests, refused }] of tallies) {
      if (requests + refused === 0) tallies.delete(consumerId)
    }
    if (usages.length === 0) return
    for (const tally of counted) Object.assign(tally, { requests: 0, refused: 0 })
    try {
      await save(usages)
    } catch (error) {
      onError(error as Error)
      counted.forEach((tally, index) => {
        tally.requests += usages[index]!.requests
        tally.refused += usages[index]!.refused
      })
    }
  }

  function saveOnce(): Promise<void> {
    saving ??= saveAll().finally(() => {
      saving = undefined
    })
    return saving
  }
  const timer = setInterval(saveOnce, saveEveryMs).unref()

  return {
    count: (consumerId, isRefused) => {
      const second = Math.floor(nowMs() / 1_000)
      const tally = tallyOf(consumerId, second)
      if (isRefused) {
        tally.refused += 1
        return
      }
      if (tally.second !== second) Object.assign(tally, { second, inSecond: 0 })
      tally.requests += 1
      tally.inSecond += 1
      tally.peakPerSecond = Math.max(tally.peakPerSecond, tally.inSecond)
    },
    close: async () => {
      clearInterval(timer)
      await saving
      await saveOnce()
    },
  }
}

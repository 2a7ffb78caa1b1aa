import type { UsageWindow } from '@despatch/domain/access/usage'
import type { UsagePlan } from '@despatch/store/access/usage-plans'
import { credentialCacheMs } from './consumer-cache.ts'

/** From this age on, a plan is read again in the background while requests still use the cached one. */
const freshMs = credentialCacheMs / 2

/** Window for the requests above the rate per second. */
const burstSeconds = 60
const daySeconds = 24 * 60 * 60

type UsageWindows = readonly UsageWindow[]

/** Returns the windows of a plan, or undefined if nothing limits it. Seldom returns a promise. */
type FindWindows = (plan: string) => UsageWindows | undefined | Promise<UsageWindows | undefined>

/**
 * Caches the plans of a service. Reads all of them together, at most twice per second and only while requests ask for
 * them.
 */
export function createUsagePlanCache(
  listPlans: () => Promise<UsagePlan[]>,
  monotonicMs: () => number,
): FindWindows {
  let plans = new Map<string, UsageWindows>()
  let readAtMs = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    const startedAtMs = monotonicMs()
    plans = new Map((await listPlans()).map((plan) => [plan.name, windowsOf(plan)]))
    readAtMs = startedAtMs
  }

  return (plan) => {
    const ageMs = monotonicMs() - readAtMs
    if (ageMs >= freshMs) {
      reading ??= read().finally(() => {
        reading = undefined
      })
      if (ageMs >= credentialCacheMs) return reading.then(() => plans.get(plan))
      // A request that finds the plans too old gets the error.
      reading.catch(() => {})
    }
    return plans.get(plan)
  }
}

/**
 * Converts a plan into windows: its rate per second, its burst per minute on top, its quota per day (UTC). Requests
 * above the rate use the burst, so at most rate plus burst are let through at once.
 */
export function windowsOf({
  requestsPerSecond,
  burst,
  requestsPerDay,
  bytesPerDay,
}: Omit<UsagePlan, 'name'>): UsageWindows {
  return [
    { name: 'second', requests: requestsPerSecond, seconds: 1 },
    ...(burst > 0 ? [{ name: 'burst', requests: burst, seconds: burstSeconds }] : []),
    ...(requestsPerDay === null ? [] : [dayWindow(requestsPerDay)]),
    ...(bytesPerDay === null ? [] : [bytesWindow(bytesPerDay)]),
  ]
}

/** Returns the window of a day's bytes (UTC). It counts kibibytes, because the counts of the store have 32 bits. */
export function bytesWindow(bytes: number): UsageWindow {
  const requests = Math.max(1, Math.floor(bytes / 1024))
  return { name: 'bytes', requests, seconds: daySeconds, unit: 'kibibytes' }
}

/** Returns the window of a day's quota (UTC). */
export function dayWindow(requests: number): UsageWindow {
  return { name: 'day', requests, seconds: daySeconds }
}

import type { UsageWindow } from '@despatch/domain/access/usage'
import type { UsagePlan } from '@despatch/store/access/usage-plans'

/** A changed plan counts at the latest after this, in milliseconds. */
const keptMs = 2_000
/** From this age on a plan is read again, while requests still go by what is known. */
const freshMs = 1_000

/** What the requests beyond the rate of a second are counted in. */
const burstSeconds = 60
const daySeconds = 24 * 60 * 60

export type UsageWindows = readonly UsageWindow[]

/** Gives the windows of a plan, or undefined when nothing limits it. It seldom takes a promise. */
export type FindWindows = (
  plan: string,
) => UsageWindows | undefined | Promise<UsageWindows | undefined>

/** Reads the plans of a service, all together, at most once in a second and only while they are asked for. */
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
      if (ageMs >= keptMs) return reading.then(() => plans.get(plan))
      // whoever asks when the plans are too old learns of the failure
      reading.catch(() => {})
    }
    return plans.get(plan)
  }
}

/**
 * A plan as windows: its rate in each second, its burst beside that in each minute, its quota in each day (UTC). A rate
 * that is exceeded takes from the burst, so no more than rate and burst together come at once.
 */
export function windowsOf({
  requestsPerSecond,
  burst,
  requestsPerDay,
}: Omit<UsagePlan, 'name'>): UsageWindows {
  return [
    { name: 'second', requests: requestsPerSecond, seconds: 1 },
    ...(burst > 0 ? [{ name: 'burst', requests: burst, seconds: burstSeconds }] : []),
    ...(requestsPerDay === null ? [] : [dayWindow(requestsPerDay)]),
  ]
}

/** The quota of a day (UTC). */
export function dayWindow(requests: number): UsageWindow {
  return { name: 'day', requests, seconds: daySeconds }
}

import { blockOf, usageKey, windowNumber } from './usage-count.ts'
import { dayWindow } from './usage-plan-cache.ts'
import type { UsageStore } from './usage-store.ts'

/** Use of a day's quota, according to the shared store. */
export type DayUsage = {
  requestsPerDay: number
  /** Undefined if the store does not answer. */
  used: number | undefined
  /** Each process may have let through up to this many further requests that it has not reported yet. */
  unreportedMax: number
  endsAt: Date
}

/** Reads how much of its quota for a service a consumer has used in the day (UTC) of the given time. */
export async function readDayUsage(
  { read }: Pick<UsageStore, 'read'>,
  {
    service,
    consumerId,
    requestsPerDay,
  }: { service: string; consumerId: string; requestsPerDay: number },
  at: Date,
): Promise<DayUsage> {
  const day = dayWindow(requestsPerDay)
  const number = windowNumber(day, at.getTime())
  return {
    requestsPerDay,
    used: await read(usageKey(`${service} ${consumerId}`, day, number)),
    unreportedMax: blockOf(day),
    endsAt: new Date((number + 1) * day.seconds * 1_000),
  }
}

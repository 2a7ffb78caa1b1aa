import { blockOf, usageKey, windowNumber } from './usage-count.ts'
import { dayWindow } from './usage-plan-cache.ts'
import type { UsageStore } from './usage-store.ts'

/** How much of a day's quota is used, as the shared store knows it. */
export type DayUsage = {
  requestsPerDay: number
  /** Undefined: the store does not answer. */
  used: number | undefined
  /** Each process may have let through so many more, which it has not told yet. */
  unreportedMax: number
  endsAt: Date
}

/** Reads how much of its quota a consumer has used of a service in the day (UTC) of that moment. */
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

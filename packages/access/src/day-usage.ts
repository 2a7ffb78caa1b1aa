import type { UsageWindow } from '@despatch/domain/access/usage'
import { blockOf, usageKey, windowNumber } from './usage-count.ts'
import { bytesWindow, dayWindow } from './usage-plan-cache.ts'
import type { UsageStore } from './usage-store.ts'

/** Use of one allowance of a day (UTC), in requests or in bytes, according to the shared store. */
type DayUsage = {
  perDay: number
  /** Undefined if the store does not answer. */
  used: number | undefined
  /** Each process may have let through about this much more that it has not reported yet. */
  unreportedMax: number
  endsAt: Date
}

/** Null: the plan has no such limit. */
type DayLimits = { requestsPerDay: number | null; bytesPerDay?: number | null }

/** Reads how much of its allowances for a service a consumer has used in the day (UTC) of the given time. */
export async function readDayUsage(
  { read }: Pick<UsageStore, 'read'>,
  { service, consumerId }: { service: string; consumerId: string },
  { requestsPerDay, bytesPerDay = null }: DayLimits,
  at: Date,
): Promise<{ day: DayUsage | null; dayBytes: DayUsage | null }> {
  async function usageOf(window: UsageWindow, perDay: number): Promise<DayUsage> {
    const number = windowNumber(window, at.getTime())
    const unit = window.unit === 'kibibytes' ? 1024 : 1
    const used = await read(usageKey(`${service} ${consumerId}`, window, number))
    return {
      perDay,
      used: used === undefined ? undefined : used * unit,
      unreportedMax: blockOf(window) * unit,
      endsAt: new Date((number + 1) * window.seconds * 1_000),
    }
  }
  const [day, dayBytes] = await Promise.all([
    requestsPerDay === null ? null : usageOf(dayWindow(requestsPerDay), requestsPerDay),
    bytesPerDay === null ? null : usageOf(bytesWindow(bytesPerDay), bytesPerDay),
  ])
  return { day, dayBytes }
}

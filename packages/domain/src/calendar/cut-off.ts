import type {
  LondonDate,
  MaintenanceWindow,
  ProductionCalendar,
} from '../print-run/capabilities.ts'
import type { PrintRunDespatchMethod } from '../print-run/despatch-method.ts'
import { addDays, londonDateOf, londonInstant } from './london.ts'
import { isWhollyInMaintenance, maintenanceAt } from './maintenance.ts'
import { calendarOf, isProducingDay } from './working-days.ts'

/** When a site works. Without a calendar, always. */
export type WorkingTimes = {
  calendar?: ProductionCalendar
  maintenance: readonly MaintenanceWindow[]
}

/** The days of a search. A site without a production day for 400 days counts as not producing. */
export const searchDays: readonly number[] = Array.from({ length: 401 }, (_, days) => days)

/**
 * Returns the first cut-off of a despatch method after an instant: its time of day in London, outside maintenance, on a
 * day on which the site works and produces the method. Returns undefined if there is none in the next 400 days.
 */
export function nextCutOff(
  { calendar, maintenance }: WorkingTimes & { calendar: ProductionCalendar },
  despatchMethod: PrintRunDespatchMethod,
  at: Date,
): Date | undefined {
  const { cutOff } = calendarOf(calendar, despatchMethod)
  const today = londonDateOf(at)
  for (const days of searchDays) {
    const date = addDays(today, days)
    if (!isProducingDay(calendar, despatchMethod, date)) continue
    const candidate = londonInstant(date, cutOff)
    if (candidate > at && !maintenanceAt(maintenance, candidate)) return candidate
  }
  return undefined
}

/**
 * Returns the day on which documents of a cut-off are handed over: `productionDays` production days of the despatch
 * method after the London day of the cut-off. A day that is wholly in maintenance does not count. Without a calendar,
 * it is the day of the cut-off. Returns undefined if there is no such day in the next 400.
 */
export function expectedDespatchDate(
  { calendar, maintenance }: WorkingTimes,
  despatchMethod: PrintRunDespatchMethod,
  cutOffAt: Date,
): LondonDate | undefined {
  const today = londonDateOf(cutOffAt)
  if (!calendar) return today
  let left = calendarOf(calendar, despatchMethod).productionDays
  if (left === 0) return today
  for (const days of searchDays.slice(1)) {
    const date = addDays(today, days)
    if (!isProducingDay(calendar, despatchMethod, date)) continue
    if (isWhollyInMaintenance(maintenance, dayOf(date))) continue
    left -= 1
    if (left === 0) return date
  }
  return undefined
}

function dayOf(date: LondonDate): { from: Date; until: Date } {
  return { from: londonInstant(date, '00:00'), until: londonInstant(addDays(date, 1), '00:00') }
}

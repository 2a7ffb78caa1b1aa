import type { LondonDate } from '../print-run/capabilities.ts'
import type { PrintRunDespatchMethod } from '../print-run/despatch-method.ts'
import { expectedDespatchDate, nextCutOff, type WorkingTimes } from './cut-off.ts'
import { addDays, londonDateOf, londonInstant } from './london.ts'
import { maintenanceAt } from './maintenance.ts'
import { calendarOf, isProducingDay } from './working-days.ts'

/** Days that a search for a cut-off goes back. A site without one for this long is left out. */
const searchDaysMax = 400

/**
 * Returns the date on which a letter that is in no print run must be despatched: that of the next cut-off after it is
 * ready, at the site that despatches it last, because routing may choose any. Returns undefined if no site has a cut-off
 * for the despatch method.
 */
export function dueDateOf(
  sites: readonly WorkingTimes[],
  despatchMethod: PrintRunDespatchMethod,
  readyAt: Date,
): LondonDate | undefined {
  return sites
    .flatMap((site) => despatchDateAt(site, despatchMethod, readyAt) ?? [])
    .toSorted()
    .at(-1)
}

function despatchDateAt(
  { calendar, maintenance }: WorkingTimes,
  despatchMethod: PrintRunDespatchMethod,
  readyAt: Date,
): LondonDate | undefined {
  if (!calendar) return londonDateOf(readyAt)
  const site = { calendar, maintenance }
  const cutOffAt = nextCutOff(site, despatchMethod, readyAt)
  return cutOffAt && expectedDespatchDate(site, despatchMethod, cutOffAt)
}

/**
 * Returns the instant before which a letter must be ready to be due on a date or earlier: the inverse of `dueDateOf`.
 * Returns undefined if no site has a cut-off for the despatch method.
 */
export function readyUntil(
  sites: readonly WorkingTimes[],
  despatchMethod: PrintRunDespatchMethod,
  date: LondonDate,
): Date | undefined {
  const lastCutOffs = sites.flatMap((site) => lastCutOff(site, despatchMethod, date) ?? [])
  return lastCutOffs.toSorted((a, b) => +a - +b)[0]
}

/** Returns the site's last cut-off whose documents are despatched on a date or earlier. */
function lastCutOff(
  { calendar, maintenance }: WorkingTimes,
  despatchMethod: PrintRunDespatchMethod,
  date: LondonDate,
): Date | undefined {
  if (!calendar) return londonInstant(addDays(date, 1), '00:00')
  const site = { calendar, maintenance }
  for (let days = 0; days <= searchDaysMax; days += 1) {
    const day = addDays(date, -days)
    if (!isProducingDay(calendar, despatchMethod, day)) continue
    const cutOffAt = londonInstant(day, calendarOf(calendar, despatchMethod).cutOff)
    if (maintenanceAt(maintenance, cutOffAt)) continue
    const despatchDate = expectedDespatchDate(site, despatchMethod, cutOffAt)
    if (despatchDate !== undefined && despatchDate <= date) return cutOffAt
  }
  return undefined
}

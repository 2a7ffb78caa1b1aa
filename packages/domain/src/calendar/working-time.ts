import type { LondonDate } from '../print-run/capabilities.ts'
import type { PrintRunDespatchMethod } from '../print-run/despatch-method.ts'
import type { WorkingTimes } from './cut-off.ts'
import { addDays, londonDateOf, londonInstant } from './london.ts'
import { maintenanceAt } from './maintenance.ts'
import { isProducingDay } from './working-days.ts'

/** Older time is not counted: by then, a measure of lateness is high enough. */
const daysMax = 400

/**
 * Returns how many seconds of a period a site works on a despatch method. A London day on which it produces the method
 * counts from midnight to midnight, without the site's maintenance. Without a calendar, every day counts.
 */
export function workingSecondsBetween(
  { calendar, maintenance }: WorkingTimes,
  despatchMethod: PrintRunDespatchMethod,
  { from, until }: { from: Date; until: Date },
): number {
  const today = londonDateOf(until)
  let date = [londonDateOf(from), addDays(today, -daysMax)].toSorted()[1]!
  let workingMs = 0
  for (; date <= today; date = addDays(date, 1)) {
    if (calendar && !isProducingDay(calendar, despatchMethod, date)) continue
    const { start, end } = dayOf(date)
    workingMs += workingMsOf(
      { maintenance },
      { start: Math.max(start, from.getTime()), end: Math.min(end, until.getTime()) },
    )
  }
  return workingMs / 1000
}

/** Whether a site works on any of the despatch methods at an instant. */
export function isWorkingAt(
  { calendar, maintenance }: WorkingTimes,
  despatchMethods: readonly PrintRunDespatchMethod[],
  at: Date,
): boolean {
  if (maintenanceAt(maintenance, at)) return false
  const today = londonDateOf(at)
  return !calendar || despatchMethods.some((method) => isProducingDay(calendar, method, today))
}

/** Windows may overlap; time in two windows is subtracted once. */
function workingMsOf(
  { maintenance }: Pick<WorkingTimes, 'maintenance'>,
  { start, end }: { start: number; end: number },
): number {
  const windows = maintenance
    .map(({ from, until }) => ({ from: Date.parse(from), until: Date.parse(until) }))
    .toSorted((one, other) => one.from - other.from)
  let reached = start
  let workingMs = 0
  for (const { from, until } of windows) {
    workingMs += Math.max(Math.min(from, end) - reached, 0)
    reached = Math.max(reached, Math.min(until, end))
  }
  return workingMs + Math.max(end - reached, 0)
}

function dayOf(date: LondonDate): { start: number; end: number } {
  return {
    start: londonInstant(date, '00:00').getTime(),
    end: londonInstant(addDays(date, 1), '00:00').getTime(),
  }
}

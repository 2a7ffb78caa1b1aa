import type { LondonDate, ProductionCalendar } from '../print-run/capabilities.ts'
import type { PrintRunDespatchMethod } from '../print-run/despatch-method.ts'
import { expectedDespatchDate, nextCutOff, searchDays, type WorkingTimes } from './cut-off.ts'
import { addDays, londonDateOf, londonInstant } from './london.ts'
import { maintenanceAt } from './maintenance.ts'
import { calendarOf, isProducingDay } from './working-days.ts'

/** The times of readiness of letters that are due on the same date. */
export type DuePeriod = {
  dueOn: LondonDate
  /** Undefined: there is no earlier due date within the search period. */
  from: Date | undefined
  /** Exclusive. */
  until: Date
}

/** When letters are due that become ready at a time. */
export type DueDates = {
  /** Returns the period that contains an instant. Undefined: there is no cut-off within the search period. */
  periodOf(readyAt: Date): DuePeriod | undefined
  /**
   * Returns the exclusive instant until which a letter must be ready to be due on a date or earlier. Undefined: there is
   * no such cut-off within the search period.
   */
  readyUntil(date: LondonDate): Date | undefined
}

/** When a site despatches letters: as it keeps its calendar, and as it would without maintenance. */
export type SiteDates = { kept: DueDates; planned: DueDates }

/**
 * Returns when a site despatches letters of a despatch method; undefined: never. Caches what it has found, because a
 * search for cut-offs is slow.
 */
export function siteDatesOf(
  site: WorkingTimes,
  despatchMethod: PrintRunDespatchMethod,
): SiteDates | undefined {
  const { calendar, maintenance } = site
  if (calendar && !doesProduce(calendar, despatchMethod)) return undefined
  const kept = cachedDates(site, despatchMethod)
  if (maintenance.length === 0) return { kept, planned: kept }
  // Stryker disable next-line ArrayDeclaration: a text is no window of maintenance either
  return { kept, planned: cachedDates({ ...site, maintenance: [] }, despatchMethod) }
}

/** Whether there is a day on which a calendar has a despatch method: a search for one takes long to find none. */
function doesProduce(
  calendar: ProductionCalendar,
  despatchMethod: PrintRunDespatchMethod,
): boolean {
  const { weekdays } = calendarOf(calendar, despatchMethod)
  return weekdays.some((weekday) => calendar.weekdays.includes(weekday))
}

function cachedDates(site: WorkingTimes, despatchMethod: PrintRunDespatchMethod): DueDates {
  const untils = new Map<LondonDate, Date | undefined>()
  const periods = new Set<DuePeriod>()

  function readyUntil(date: LondonDate): Date | undefined {
    if (!untils.has(date)) untils.set(date, readyUntilAt(site, despatchMethod, date))
    return untils.get(date)
  }

  function periodOf(readyAt: Date): DuePeriod | undefined {
    const known = [...periods].find(
      ({ from, until }) => (!from || from <= readyAt) && readyAt < until,
    )
    if (known) return known
    const found = periodOn(despatchDateAt(site, despatchMethod, readyAt), readyUntil)
    if (found) periods.add(found)
    return found
  }

  return { periodOf, readyUntil }
}

function periodOn(
  dueOn: LondonDate | undefined,
  readyUntil: DueDates['readyUntil'],
): DuePeriod | undefined {
  if (!dueOn) return undefined
  const until = readyUntil(dueOn)
  return until && { dueOn, from: readyUntil(addDays(dueOn, -1)), until }
}

function despatchDateAt(
  { calendar, maintenance }: WorkingTimes,
  despatchMethod: PrintRunDespatchMethod,
  readyAt: Date,
): LondonDate | undefined {
  if (!calendar) return londonDateOf(readyAt)
  const site = { calendar, maintenance }
  // gathering still takes a letter that is ready exactly at the cut-off
  const cutOffAt = nextCutOff(site, despatchMethod, new Date(+readyAt - 1))
  return cutOffAt && expectedDespatchDate(site, despatchMethod, cutOffAt)
}

/** Returns the exclusive end of the site's last cut-off whose documents are despatched on a date or earlier. */
function readyUntilAt(
  { calendar, maintenance }: WorkingTimes,
  despatchMethod: PrintRunDespatchMethod,
  date: LondonDate,
): Date | undefined {
  if (!calendar) return londonInstant(addDays(date, 1), '00:00')
  const site = { calendar, maintenance }
  for (const days of searchDays) {
    const day = addDays(date, -days)
    if (!isProducingDay(calendar, despatchMethod, day)) continue
    const cutOffAt = londonInstant(day, calendarOf(calendar, despatchMethod).cutOff)
    if (maintenanceAt(maintenance, cutOffAt)) continue
    const despatchDate = expectedDespatchDate(site, despatchMethod, cutOffAt)
    if (despatchDate && despatchDate <= date) return new Date(+cutOffAt + 1)
  }
  return undefined
}

/**
 * Returns when letters are due that any of the sites may print. A letter is due on the despatch date of the next cut-off
 * after it is ready, at the site that despatches it last, because routing may choose any. Maintenance of a site counts
 * only as far as no other site despatches the letter earlier.
 */
export function dueDatesAt(sites: readonly SiteDates[]): DueDates {
  function readyUntil(date: LondonDate): Date | undefined {
    const kept = instants(sites.map((site) => site.kept.readyUntil(date)))
    const planned = instants(sites.map((site) => site.planned.readyUntil(date)))
    return kept.length > 0 ? new Date(Math.min(Math.max(...kept), ...planned)) : undefined
  }

  function periodOf(readyAt: Date): DuePeriod | undefined {
    const [earliest] = dates(sites.map((site) => site.kept.periodOf(readyAt)))
    const planned = dates(sites.map((site) => site.planned.periodOf(readyAt)))
    const dueOn = earliest && [earliest, ...planned].toSorted().at(-1)
    return periodOn(dueOn, readyUntil)
  }

  return { periodOf, readyUntil }
}

function instants(given: readonly (Date | undefined)[]): number[] {
  return given.flatMap((instant) => (instant ? [+instant] : []))
}

function dates(given: readonly (DuePeriod | undefined)[]): LondonDate[] {
  return given.flatMap((period) => period?.dueOn ?? []).toSorted()
}

import { createRequire } from 'node:module'
import type Holidays from 'date-holidays'
import type { LondonDate, ProductionCalendar, Weekday } from '../print-run/capabilities.ts'
import type { PrintRunDespatchMethod } from '../print-run/despatch-method.ts'

/**
 * Whether a site works on a day: it is one of its weekdays, not a bank holiday that it observes, and not a closed day.
 */
function isWorkingDay(calendar: ProductionCalendar, date: LondonDate): boolean {
  if (!calendar.weekdays.includes(weekdayOf(date))) return false
  if (calendar.closedOn.includes(date)) return false
  return calendar.bankHolidays === 'none' || !bankHolidaysOf(yearOf(date)).has(date)
}

/** Whether a site works on a day and produces the despatch method on it. */
export function isProducingDay(
  calendar: ProductionCalendar,
  despatchMethod: PrintRunDespatchMethod,
  date: LondonDate,
): boolean {
  const { weekdays } = calendarOf(calendar, despatchMethod)
  return weekdays.includes(weekdayOf(date)) && isWorkingDay(calendar, date)
}

function weekdayOf(date: LondonDate): Weekday {
  return (new Date(date).getUTCDay() || 7) as Weekday
}

function yearOf(date: LondonDate): number {
  return Number(date.slice(0, 'YYYY'.length))
}

/** Returns the calendar's values for one despatch method. */
export function calendarOf(calendar: ProductionCalendar, despatchMethod: PrintRunDespatchMethod) {
  const own = calendar.classes.find((candidate) => candidate.despatchMethod === despatchMethod)
  return {
    weekdays: own?.weekdays ?? calendar.weekdays,
    cutOff: own?.cutOff ?? calendar.cutOff,
    productionDays: own?.productionDays ?? calendar.productionDays,
  }
}

/**
 * Returns the bank holidays of England and Wales in a year, including substitute days and those proclaimed for one
 * year. A holiday on a weekend is included in addition to its substitute: a site that works on Saturdays does not work
 * at Christmas.
 */
export function bankHolidaysOf(year: number): ReadonlySet<LondonDate> {
  const known = ofYear.get(year)
  if (known) return known
  rules ??= loadRules()
  const days = rules
    .getHolidays(year)
    // The others are observances that are working days, such as Mother's Day.
    .filter(({ type }) => type === 'public')
    .map(({ date }) => date.slice(0, 'YYYY-MM-DD'.length))
  const holidays = new Set(days)
  ofYear.set(year, holidays)
  return holidays
}

/** Loads the package when the first holiday is needed: that takes longer than most commands. */
function loadRules(): Holidays {
  const require = createRequire(import.meta.url)
  const Rules: typeof Holidays = require('date-holidays')
  // England and Wales have the same bank holidays.
  return new Rules('GB', 'ENG')
}

let rules: Holidays | undefined
const ofYear = new Map<number, ReadonlySet<LondonDate>>()

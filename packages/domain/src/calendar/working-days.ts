import { createRequire } from 'node:module'
import type Holidays from 'date-holidays'
import type {
  BankHolidayDivision,
  LondonDate,
  ProductionCalendar,
  Weekday,
} from '../print-run/capabilities.ts'
import type { PrintRunDespatchMethod } from '../print-run/despatch-method.ts'

/**
 * Whether a site works on a day: it is one of its weekdays, not a bank holiday that it observes, and not a closed day.
 */
function isWorkingDay(calendar: ProductionCalendar, date: LondonDate): boolean {
  if (!calendar.weekdays.includes(weekdayOf(date))) return false
  if (calendar.closedOn.includes(date)) return false
  const { bankHolidays } = calendar
  return bankHolidays === 'none' || !bankHolidaysOf(bankHolidays, yearOf(date)).has(date)
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

/** The region of `date-holidays` that has the bank holidays of a division. England and Wales have the same. */
const regions: Readonly<Record<BankHolidayDivision, string>> = {
  'england-and-wales': 'ENG',
  scotland: 'SCT',
  'northern-ireland': 'NIR',
}

/**
 * Days proclaimed for one year that `date-holidays` lacks. Scotland, 15 June 2026: Royal Proclamation of 4 February 2026
 * under the Banking and Financial Dealings Act 1971, for the football World Cup.
 */
const proclaimed: Readonly<Partial<Record<BankHolidayDivision, readonly LondonDate[]>>> = {
  scotland: ['2026-06-15'],
}

/**
 * Returns the bank holidays of a division in a year, including substitute days and those proclaimed for one year. A
 * holiday on a weekend is included in addition to its substitute: a site that works on Saturdays does not work at
 * Christmas.
 */
export function bankHolidaysOf(
  division: BankHolidayDivision,
  year: number,
): ReadonlySet<LondonDate> {
  const key = `${division} ${year}`
  const known = ofYear.get(key)
  if (known) return known
  const days = rulesOf(division)
    .getHolidays(year)
    // The others are observances that are working days, such as Mother's Day.
    .filter(({ type }) => type === 'public')
    .map(({ date }) => date.slice(0, 'YYYY-MM-DD'.length))
  const added = proclaimed[division]?.filter((date) => yearOf(date) === year) ?? []
  const holidays = new Set([...days, ...added])
  ofYear.set(key, holidays)
  return holidays
}

/** Loads the package when the first holiday is needed: that takes longer than most commands. */
function rulesOf(division: BankHolidayDivision): Holidays {
  const require = createRequire(import.meta.url)
  const Rules: typeof Holidays = require('date-holidays')
  return new Rules('GB', regions[division])
}

const ofYear = new Map<string, ReadonlySet<LondonDate>>()

import Holidays from 'date-holidays'
import type { LondonDate } from '../print-run/capabilities.ts'

/**
 * Returns the bank holidays of England and Wales in a year, including substitute days and those proclaimed for one
 * year. A holiday on a weekend is included in addition to its substitute: a site that works on Saturdays does not work
 * at Christmas.
 */
export function bankHolidaysOf(year: number): ReadonlySet<LondonDate> {
  const known = ofYear.get(year)
  if (known) return known
  const days = rules
    .getHolidays(year)
    // The others are observances that are working days, such as Mother's Day.
    .filter(({ type }) => type === 'public')
    .map(({ date }) => date.slice(0, 'YYYY-MM-DD'.length))
  const holidays = new Set(days)
  ofYear.set(year, holidays)
  return holidays
}

// England and Wales have the same bank holidays.
const rules = new Holidays('GB', 'ENG')
const ofYear = new Map<number, ReadonlySet<LondonDate>>()

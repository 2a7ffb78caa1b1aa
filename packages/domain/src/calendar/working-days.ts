import { Temporal } from 'temporal-polyfill'
import type { LondonDate, ProductionCalendar, Weekday } from '../print-run/capabilities.ts'
import type { PrintRunDespatchMethod } from '../print-run/despatch-method.ts'
import { bankHolidaysOf } from './bank-holidays.ts'

/**
 * Whether a site works on a day: it is one of its weekdays, not a bank holiday that it observes, and not a closed day.
 */
function isWorkingDay(calendar: ProductionCalendar, date: LondonDate): boolean {
  const { year, dayOfWeek } = Temporal.PlainDate.from(date)
  if (!calendar.weekdays.includes(dayOfWeek as Weekday)) return false
  if (calendar.closedOn.includes(date)) return false
  return calendar.bankHolidays === 'none' || !bankHolidaysOf(year).has(date)
}

/** Whether a site works on a day and produces the despatch method on it. */
export function isProducingDay(
  calendar: ProductionCalendar,
  despatchMethod: PrintRunDespatchMethod,
  date: LondonDate,
): boolean {
  const { weekdays } = calendarOf(calendar, despatchMethod)
  const { dayOfWeek } = Temporal.PlainDate.from(date)
  return weekdays.includes(dayOfWeek as Weekday) && isWorkingDay(calendar, date)
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

import { Temporal } from 'temporal-polyfill'
import type { LondonDate, LondonTime } from '../print-run/capabilities.ts'

const timeZone = 'Europe/London'

/** Returns the date in London at an instant. */
export function londonDateOf(at: Date): LondonDate {
  return zoned(at).toPlainDate().toString()
}

/**
 * Returns the instant of a time of day in London. Every time maps to exactly one instant per day: a time that does not
 * exist in spring moves an hour later, and a time that occurs twice in autumn means the first.
 */
export function londonInstant(date: LondonDate, time: LondonTime): Date {
  const at = Temporal.PlainDate.from(date).toZonedDateTime({ timeZone, plainTime: time })
  return new Date(at.epochMilliseconds)
}

/** Returns the instant at which a day in London ends. */
export function londonDayEnd(date: LondonDate): Date {
  const next = Temporal.PlainDate.from(date).add({ days: 1 })
  return new Date(next.toZonedDateTime({ timeZone }).epochMilliseconds)
}

/** Returns the date `days` calendar days later, whatever the length of the days. */
export function addDays(date: LondonDate, days: number): LondonDate {
  const day = new Date(date)
  day.setUTCDate(day.getUTCDate() + days)
  return day.toISOString().slice(0, 'YYYY-MM-DD'.length)
}

function zoned(at: Date): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
}

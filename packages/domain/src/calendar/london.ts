import { Temporal } from 'temporal-polyfill'
import type { LondonDate, LondonTime } from '../print-run/capabilities.ts'

const timeZone = 'Europe/London'

/** The day that it is in London at an instant. */
export function londonDateOf(at: Date): LondonDate {
  return zoned(at).toPlainDate().toString()
}

/**
 * The instant of a time of day in London. Each exists exactly once a day: a time that the clocks leave out in spring comes an
 * hour later, and of a time that comes twice in autumn it is the first.
 */
export function londonInstant(date: LondonDate, time: LondonTime): Date {
  const at = Temporal.PlainDate.from(date).toZonedDateTime({ timeZone, plainTime: time })
  return new Date(at.epochMilliseconds)
}

/** The day after so many days; a calendar day, whatever its hours are. */
export function addDays(date: LondonDate, days: number): LondonDate {
  return Temporal.PlainDate.from(date).add({ days }).toString()
}

function zoned(at: Date): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
}

export const passwordLifeDays = 90
export const apiKeyLifeDays = 365
const dayMs = 24 * 60 * 60 * 1000

/** True once the day (YYYY-MM-DD, UTC) is over: a credential still works on the day of its expiry. */
export function isExpired(expiresOn: string, now: Date): boolean {
  return now.getTime() >= endOfDayMs(expiresOn)
}

/** The moment at which the day (YYYY-MM-DD, UTC) is over, in milliseconds since 1970. */
export function endOfDayMs(day: string): number {
  return Date.parse(day) + dayMs
}

/** The day, as YYYY-MM-DD in UTC, that is so many days after now. */
export function dayAfter(now: Date, days: number): string {
  return dayOf(new Date(now.getTime() + days * dayMs))
}

/** The calendar day in UTC, as YYYY-MM-DD. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}

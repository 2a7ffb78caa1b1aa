export const passwordLifeDays = 90
export const apiKeyLifeDays = 365
const dayMs = 24 * 60 * 60 * 1000

/** Returns true once the day (YYYY-MM-DD, UTC) is over. A credential still works on the day of its expiry. */
export function isExpired(expiresOn: string, now: Date): boolean {
  return now.getTime() >= endOfDayMs(expiresOn)
}

/** Returns the end of the day (YYYY-MM-DD, UTC) in milliseconds since 1970. */
export function endOfDayMs(day: string): number {
  return Date.parse(day) + dayMs
}

/** Returns the day that is `days` days after `now`, as YYYY-MM-DD in UTC. */
export function dayAfter(now: Date, days: number): string {
  return dayOf(new Date(now.getTime() + days * dayMs))
}

/** Returns the calendar day in UTC, as YYYY-MM-DD. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}

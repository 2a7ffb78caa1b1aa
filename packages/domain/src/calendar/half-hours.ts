export const halfHourMs = 1_800_000
export const halfHoursOfDay = 48

/** Returns when each of the last 48 half hours began, oldest first. The last one has only begun. */
export function halfHoursUntil(now: Date): Date[] {
  const latest = Math.floor(now.getTime() / halfHourMs) * halfHourMs
  return Array.from(
    { length: halfHoursOfDay },
    (_, index) => new Date(latest - (halfHoursOfDay - 1 - index) * halfHourMs),
  )
}

/** Returns the text of a half hour in the counts that the database keeps, such as `2026-11-24T14:30:00Z`. */
export function halfHourText(from: Date): string {
  return from.toISOString().replace('.000Z', 'Z')
}

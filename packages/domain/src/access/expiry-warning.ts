/** How many days before a credential expires its owner is warned, earliest first. */
export const warningDays = [30, 7, 1] as const

/**
 * Returns the warning that is due with `daysLeft` days left: the closest threshold reached. Returns undefined if none
 * has been reached, or the credential has expired. After a gap, earlier thresholds are skipped.
 */
export function findDueWarning(daysLeft: number): number | undefined {
  if (daysLeft < 0) return undefined
  return warningDays.findLast((days) => daysLeft <= days)
}

const dayMs = 24 * 60 * 60 * 1000

/** Returns the whole days from one calendar day (YYYY-MM-DD) to another; negative if the other is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs)
}

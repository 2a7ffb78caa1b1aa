/** How many days before a credential expires its owner is to be told, the earliest first. */
export const warningDays = [30, 7, 1] as const

/**
 * The warning that is due with so many days left: the closest threshold that has been reached. Undefined: none has, or the
 * credential has expired. After a gap the earlier thresholds are not told any more.
 */
export function findDueWarning(daysLeft: number): number | undefined {
  if (daysLeft < 0) return undefined
  return warningDays.findLast((days) => daysLeft <= days)
}

const dayMs = 24 * 60 * 60 * 1000

/** Whole days from one calendar day (YYYY-MM-DD) to another; negative when the other is over. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs)
}

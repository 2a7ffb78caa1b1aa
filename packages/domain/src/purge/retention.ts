const dayMs = 24 * 60 * 60 * 1000

/**
 * How many days after its end the personal data of a print job is kept: the contract's value, otherwise the
 * deployment's.
 */
export type Retention = { contractDays: number | null; deploymentDays: number }

/**
 * Returns the time before which print jobs must have ended to be purged. A day has 24 hours, even if the clocks change.
 */
export function keptSince(now: Date, { contractDays, deploymentDays }: Retention): Date {
  return new Date(now.getTime() - (contractDays ?? deploymentDays) * dayMs)
}

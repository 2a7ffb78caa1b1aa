const dayMs = 24 * 60 * 60 * 1000

/**
 * How many days after its end the personal data of a print job is kept: the contract's value, otherwise the
 * deployment's.
 */
type Retention = { contractDays: number | null; deploymentDays: number }

/**
 * Returns the time before which print jobs must have ended to be purged. A day has 24 hours, even if the clocks change.
 */
export function keptSince(now: Date, { contractDays, deploymentDays }: Retention): Date {
  return new Date(now.getTime() - (contractDays ?? deploymentDays) * dayMs)
}

/** Returns the time before which print jobs must have been purged to be retired. */
export function historyKeptSince(now: Date, { historyDays }: { historyDays: number }): Date {
  return new Date(now.getTime() - historyDays * dayMs)
}

/** A letter is usually despatched this soon. One that takes longer keeps its rows for longer. */
const usualLifeDays = 60

/**
 * Returns the time before which a month must have ended so that most of its letters are retired: those that ended soon
 * and whose contract sets no retention.
 */
export function monthKeptSince(
  now: Date,
  { historyDays, retentionDays }: { historyDays: number; retentionDays: number },
): Date {
  return new Date(now.getTime() - (usualLifeDays + retentionDays + historyDays) * dayMs)
}

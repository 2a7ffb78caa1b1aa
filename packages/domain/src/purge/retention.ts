const dayMs = 24 * 60 * 60 * 1000

/** How many days after its end what is personal is kept of a print job: as its contract says, else as the deployment does. */
export type Retention = { contractDays: number | null; deploymentDays: number }

/** What ended before this moment has been kept long enough. A day has 24 hours, whatever the clocks do. */
export function keptSince(now: Date, { contractDays, deploymentDays }: Retention): Date {
  return new Date(now.getTime() - (contractDays ?? deploymentDays) * dayMs)
}

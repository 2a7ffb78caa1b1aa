import { queueNames } from '@despatch/queue/queues'
import type { Db } from '@despatch/store/database'
import { listOutages, type Outage } from '@despatch/store/outage/outages'
import { type Overview, readOverview } from '@despatch/store/overview/overview'
import { readShutOrigins, type ShutOrigins } from '@despatch/store/overview/shut-origins'

/** The figures that the console shows and exports as metrics. */
export type Figures = Overview & {
  /** Origins whose breaker is not closed. */
  shutOrigins: ShutOrigins
  /** The dependencies that services cannot reach now, longest outage first. */
  outages: Outage[]
}

export async function readFigures(db: Db): Promise<Figures> {
  const [overview, shutOrigins, outages] = await Promise.all([
    readOverview(db, { queues: queueNames }),
    readShutOrigins(db),
    listOutages(db),
  ])
  return { ...overview, shutOrigins, outages }
}

import { queueNames } from '@despatch/queue/queues'
import type { Db } from '@despatch/store/database'
import { listOutages, type Outage } from '@despatch/store/outage/outages'
import { type Overview, readOverview } from '@despatch/store/overview/overview'
import {
  readUnavailableOrigins,
  type UnavailableOrigins,
} from '@despatch/store/overview/unavailable-origins'

/** The figures that the console shows and exports as metrics. */
export type Figures = Overview & {
  /** Origins whose breaker is not closed. */
  unavailableOrigins: UnavailableOrigins
  /** The dependencies that services cannot reach now, longest outage first. */
  outages: Outage[]
}

export async function readFigures(db: Db): Promise<Figures> {
  const [overview, unavailableOrigins, outages] = await Promise.all([
    readOverview(db, { queues: queueNames }),
    readUnavailableOrigins(db),
    listOutages(db),
  ])
  return { ...overview, unavailableOrigins, outages }
}

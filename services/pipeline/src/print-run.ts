import type { Db } from '@despatch/store/database'
import { gatherPrintJobs, lockPrintSite } from '@despatch/store/print-runs-gather'
import { closeEmptyPrintRuns, releasePrintRuns } from '@despatch/store/print-runs-release'

export type PrintRunOptions = {
  db: Db
  /** How long a run gathers documents before it is released. */
  runAgeMs: number
  /** With so many documents a run is full and released at once. */
  documentsMax: number
}

/** Print jobs taken by one pass, so that its transaction stays short. */
const jobsMax = 5_000

/**
 * One pass of the timer: gathers PENDING print jobs into the open runs of their streams and releases the runs that
 * are due. Says `again` while more may be waiting. Passes exclude each other, in whatever process they run.
 */
export async function buildPrintRuns(options: PrintRunOptions): Promise<'again' | 'idle'> {
  const { db, runAgeMs, documentsMax } = options
  return db.transaction().execute(async (tx) => {
    const site = await lockPrintSite(tx)
    if (!site) return 'idle'
    const gathered = await gatherPrintJobs(tx, site, { jobsMax, documentsMax })
    const released = await releasePrintRuns(tx, site, { runAgeMs, documentsMax })
    await closeEmptyPrintRuns(tx, site)
    const mayBeMore = gathered === jobsMax || (gathered > 0 && released.length > 0)
    return mayBeMore ? 'again' : 'idle'
  })
}

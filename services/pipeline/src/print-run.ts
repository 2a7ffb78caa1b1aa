import type { Db } from '@despatch/store/database'
import { buildPrintRuns as buildStoredPrintRuns } from '@despatch/store/print-run/build'
import { transact } from '@despatch/store/transact'
import { type TracePrintRuns, tracePrintRuns } from './trace-print-runs.ts'

export type PrintRunOptions = {
  db: Db
  /** How long a run gathers documents before it is released, at a site without a calendar. */
  runAgeMs: number
  /** With so many documents a run is full and released at once. */
  documentsMax: number
  /** Absent: nothing is traced. */
  traced?: Pick<TracePrintRuns, 'tracing' | 'onError'>
}

/** Print jobs taken by one pass, so that its transaction stays short. */
const jobsMax = 5_000

/**
 * One pass of the timer: routes PENDING print jobs to sites, gathers them into the open runs of their streams and releases
 * the runs that are due. Says `again` while more may be waiting.
 */
export async function buildPrintRuns(options: PrintRunOptions): Promise<'again' | 'idle'> {
  const { db, runAgeMs, documentsMax, traced } = options
  const startedAt = new Date()
  const outcome = await transact(db, (tx) =>
    buildStoredPrintRuns(tx, { runAgeMs, documentsMax, jobsMax }),
  )
  if (traced?.tracing.isOn) await tracePrintRuns({ db, ...traced }, outcome, startedAt)
  return outcome.isMore ? 'again' : 'idle'
}

import { classOfFault } from '@despatch/domain/outage/fault-class'
import { unavailableDependency } from '@despatch/domain/outage/unavailable-dependency'
import type { Db } from '@despatch/store/database'
import { releasePrintRun } from '@despatch/store/print-run/release'
import {
  giveBackRelease,
  noteReleaseFault,
  type TakenRelease,
  takeRelease,
} from '@despatch/store/print-run/take-release'
import { type TracePrintRuns, tracePrintRuns } from './trace-print-runs.ts'

export type ReleaseOptions = {
  db: Db
  /** Absent: nothing is traced. */
  traced?: Pick<TracePrintRuns, 'tracing' | 'onError'>
}

/** Longer than one page takes, since each page renews it; short, since letters wait for it when its process dies. */
const leaseSeconds = 15
/** A pass ends about then, so that its loop shows that it moves. */
const msMax = 5_000

/**
 * One pass of the timer that releases print runs: goes on with one run whose gathering has ended. A failure is noted on the
 * run, which is tried again later while other runs are released; then it is thrown. An outage of the database is no fault of
 * the run and is not noted. Says `again` while more runs may be waiting.
 */
export async function releaseNextPrintRun(options: ReleaseOptions): Promise<'again' | 'idle'> {
  const { db, traced } = options
  const taken = await takeRelease(db, { leaseSeconds })
  if (!taken) return 'idle'
  const startedAt = new Date()
  const outcome = await releasePrintRun(db, taken, { leaseSeconds, msMax }).catch(
    async (error: unknown) => {
      await note(db, taken, error)
      throw error
    },
  )
  if (outcome === 'unfinished') await giveBackRelease(db, taken.batchNumber)
  if (outcome === 'released' && traced?.tracing.isOn) {
    await tracePrintRuns({ db, ...traced }, { released: [taken.batchNumber] }, startedAt)
  }
  return 'again'
}

async function note(db: Db, taken: TakenRelease, error: unknown): Promise<void> {
  if (unavailableDependency(error)) return
  await noteReleaseFault(db, taken, classOfFault(error))
}

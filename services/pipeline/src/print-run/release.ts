import { classOfFault } from '@despatch/domain/outage/fault-class'
import { unavailableDependency } from '@despatch/domain/outage/unavailable-dependency'
import { storeDocumentsOfRun } from '@despatch/letters/store-documents'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import { releasePrintRun } from '@despatch/store/print-run/release'
import {
  noteReleaseFault,
  returnRelease,
  type TakenRelease,
  takeRelease,
} from '@despatch/store/print-run/take-release'
import { type TracePrintRuns, tracePrintRuns } from './trace-print-runs.ts'

type ReleaseOptions = {
  db: Db
  objects: Pick<ObjectStore, 'put'>
  /** If absent, nothing is traced. */
  traced?: Pick<TracePrintRuns, 'tracing' | 'onError'>
}

/**
 * Each page renews the lease, so the lease need only be longer than one page takes. It is short because the letters of
 * the run wait for it if its process dies.
 */
const leaseSeconds = 15
/** A pass ends after about this time, so that its loop reports progress. */
const msMax = 5_000

/**
 * Runs one pass of the timer that releases print runs: continues one run whose gathering has ended. Its documents are
 * in the object store first, because the factory reads them from there. A failure is recorded on the run and thrown; the
 * run is retried later, while other runs are released. An outage of the database is no fault of the run and is not
 * recorded. Returns 'again' while more runs may be waiting.
 */
export async function releaseNextPrintRun(options: ReleaseOptions): Promise<'again' | 'idle'> {
  const { db, objects, traced } = options
  const taken = await takeRelease(db, { leaseSeconds })
  if (!taken) return 'idle'
  const startedAt = new Date()
  const outcome = await storeDocumentsOfRun({ db, objects }, taken.batchNumber, msMax)
    .then((areStored) =>
      areStored ? releasePrintRun(db, taken, { leaseSeconds, msMax }) : ('unfinished' as const),
    )
    .catch(async (error: unknown) => {
      await note(db, taken, error)
      throw error
    })
  if (outcome === 'unfinished') await returnRelease(db, taken.batchNumber)
  if (outcome === 'released' && traced?.tracing.isOn) {
    await tracePrintRuns({ db, ...traced }, { released: [taken.batchNumber] }, startedAt)
  }
  return 'again'
}

async function note(db: Db, taken: TakenRelease, error: unknown): Promise<void> {
  if (unavailableDependency(error)) return
  await noteReleaseFault(db, taken, classOfFault(error))
}

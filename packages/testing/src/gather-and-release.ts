import type { Db } from '@despatch/store/database'
import {
  type GatherOptions,
  type GatherOutcome,
  gatherPrintRuns,
} from '@despatch/store/print-run/gather'
import { releasePrintRun } from '@despatch/store/print-run/release'
import { reroutePrintRuns } from '@despatch/store/print-run/reroute'
import { takeRelease } from '@despatch/store/print-run/take-release'

const limits = { leaseSeconds: 60, msMax: 60_000 }

type GatheredAndReleased = Omit<GatherOutcome, 'due'> & {
  released: string[]
  rerouted: string[]
}

/** Reroutes, gathers and releases print runs, one after the other, each as the pipeline's loop for it does. */
export async function gatherAndRelease(
  db: Db,
  options: GatherOptions,
): Promise<GatheredAndReleased> {
  const rerouted: string[] = []
  for (let isMore = true; isMore; ) {
    const pass = await db.transaction().execute(reroutePrintRuns)
    rerouted.push(...pass.rerouted)
    isMore = pass.isMore
  }
  const { due: _, ...gathered } = await db
    .transaction()
    .execute((tx) => gatherPrintRuns(tx, options))
  const released = await releaseDuePrintRuns(db)
  return { ...gathered, released, rerouted }
}

/** Releases every print run that is completely gathered. Returns the batch numbers. */
export async function releaseDuePrintRuns(db: Db): Promise<string[]> {
  const released: string[] = []
  for (let run = await takeRelease(db, limits); run; run = await takeRelease(db, limits)) {
    const outcome = await releasePrintRun(db, run, limits)
    if (outcome === 'released') released.push(run.batchNumber)
  }
  return released.toSorted()
}

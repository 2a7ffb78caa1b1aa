import { unavailableDependency } from '@despatch/domain/outage/unavailable-dependency'
import type { Db } from '@despatch/store/database'
import { gatherPrintRuns } from '@despatch/store/print-run/build'
import { reroutePrintRuns } from '@despatch/store/print-run/reroute'
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
const jobsMin = 50
/** A pass reroutes for so long at most before it gathers. */
const rerouteMsMax = 5_000

/**
 * Makes the pass of the timer that builds print runs: takes work away from sites that cannot do it, routes PENDING print jobs
 * to sites and gathers them into the open runs of their streams. It says `again` while more may be waiting. After a failure
 * the next pass takes half as many print jobs, since what is too much for one transaction would fail for ever. A rerouting
 * that fails does not keep others from being gathered; it is reported by the failure of the pass.
 */
export function createGathering(options: PrintRunOptions): () => Promise<'again' | 'idle'> {
  const { db, runAgeMs, documentsMax, traced } = options
  let jobs = jobsMax

  async function gather(): Promise<boolean> {
    const startedAt = new Date()
    const outcome = await transact(db, (tx) =>
      gatherPrintRuns(tx, { runAgeMs, documentsMax, jobsMax: jobs }),
    ).catch((error: unknown) => {
      if (!unavailableDependency(error)) jobs = Math.max(jobsMin, Math.floor(jobs / 2))
      throw error
    })
    jobs = Math.min(jobsMax, jobs * 2)
    if (traced?.tracing.isOn) await tracePrintRuns({ db, ...traced }, outcome, startedAt)
    return outcome.isMore
  }

  return async () => {
    const [rerouting] = await Promise.allSettled([reroute(db)])
    const isMoreToGather = await gather()
    if (rerouting.status === 'rejected') throw rerouting.reason
    return isMoreToGather || rerouting.value ? 'again' : 'idle'
  }
}

/** True: there is more to reroute. */
async function reroute(db: Db): Promise<boolean> {
  const stopAt = performance.now() + rerouteMsMax
  for (;;) {
    const { isMore } = await transact(db, reroutePrintRuns)
    if (!isMore || performance.now() > stopAt) return isMore
  }
}

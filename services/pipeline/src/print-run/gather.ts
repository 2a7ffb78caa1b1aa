import { unavailableDependency } from '@despatch/domain/outage/unavailable-dependency'
import { transact } from '@despatch/postgres/transact'
import type { Db } from '@despatch/store/database'
import { gatherPrintRuns } from '@despatch/store/print-run/gather'
import { reroutePrintRuns } from '@despatch/store/print-run/reroute'
import { type TracePrintRuns, tracePrintRuns } from './trace-print-runs.ts'

type PrintRunOptions = {
  db: Db
  /** How long a run gathers documents before its release, at a site without a calendar. */
  runAgeMs: number
  /** A run with this many documents is full and is released at once. */
  documentsMax: number
  /** If absent, nothing is traced. */
  traced?: Pick<TracePrintRuns, 'tracing' | 'onError'>
}

/** Limit for the print jobs of one pass, so that its transaction stays short. */
const jobsMax = 5_000
const jobsMin = 50
/** A pass reroutes for at most this time before it gathers. */
const rerouteMsMax = 5_000

/**
 * Returns the pass of the timer that builds print runs. It reroutes documents away from sites that cannot print them,
 * routes PENDING print jobs to sites, and gathers them into the open runs of their streams. It returns 'again' while
 * more may be waiting. After a failure the next pass takes half as many print jobs, because a transaction that is too
 * large would fail every time. A rerouting failure does not stop the gathering; the pass throws it at the end.
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

/** Returns true if there is more to reroute. */
async function reroute(db: Db): Promise<boolean> {
  const stopAt = performance.now() + rerouteMsMax
  for (;;) {
    const { isMore } = await transact(db, reroutePrintRuns)
    if (!isMore || performance.now() > stopAt) return isMore
  }
}

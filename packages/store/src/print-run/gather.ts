import { datesOf, type GatheringRun, planGathering } from '@despatch/domain/print-run/gathering'
import type { RoutableSite } from '@despatch/domain/print-run/routing'
import type { Tx } from '../database.ts'
import { listRoutableSites, lockGathering, updateRouting } from '../provider/routing.ts'
import {
  assignToRuns,
  closeEmptyPrintRuns,
  deferRouting,
  findFirstLeft,
  listBusyRuns,
  lockGatherableJobs,
  lockGatheringRuns,
  type StoredGatheringRun,
  updateDates,
} from './assign-to-runs.ts'
import { beginRelease } from './release.ts'

export type GatherOptions = {
  /** How long a run gathers documents at a site without a calendar, in milliseconds. */
  runAgeMs: number
  /** A run with this many documents is full and is released at once. */
  documentsMax: number
  /** Print jobs per pass; the limit keeps the transaction short. */
  jobsMax: number
}

export type GatherOutcome = {
  gathered: number
  /** Keys of some of the gathered print jobs. */
  gatheredFirst: string[]
  /** Batch numbers of the runs whose gathering has ended, in order. */
  due: string[]
  /** Whether another pass may find more to do immediately. */
  isMore: boolean
}

/** A print job that no site can take is checked again after this time, and does not delay others until then. */
const unroutableSeconds = 60
/**
 * A print job that missed the cut-off of a run which still waits for letters of its own is checked again after this
 * time.
 */
export const lateSeconds = 5

/** The number of keys that are returned for tracing. */
const keysListedMax = 100

const nothing: GatherOutcome = { gathered: 0, gatheredFirst: [], due: [], isMore: false }

/**
 * Makes one gathering pass. It routes PENDING print jobs and puts them into the runs of their streams. It ends the
 * gathering of runs that are due, full or whose release was requested; those are then released one by one. A run that
 * is due waits until all letters accepted before its cut-off are in it, also those that another transaction has locked.
 * Passes exclude each other across processes.
 */
export async function gatherPrintRuns(tx: Tx, options: GatherOptions): Promise<GatherOutcome> {
  const at = await lockGathering(tx)
  if (!at) return nothing
  const sites = await listRoutableSites(tx)
  if (sites.length === 0) return nothing

  const { jobsMax, documentsMax, runAgeMs } = options
  const held = await lockGatheringRuns(tx)
  const busy = await listBusyRuns(tx, held)
  const runs = await refreshDates(tx, held, sites, { at, runAgeMs })
  const jobs = await lockGatherableJobs(tx, { at, jobsMax })
  const isDrained = jobs.length < jobsMax
  const full = busy.map((run) => ({ ...run, cutOffAt: run.cutOffAt ?? at }))
  const plan = planGathering(sites, [...runs, ...full], jobs, { at, documentsMax, runAgeMs })
  await assignToRuns(tx, plan.placed)
  await deferRouting(tx, plan.unroutable, { at, seconds: unroutableSeconds })
  if (!isDrained) await deferRouting(tx, plan.late, { at, seconds: lateSeconds })
  await updateRouting(tx, plan.sites)

  const firstLeft = isDrained ? await findFirstLeft(tx, at) : null
  const due = (await lockGatheringRuns(tx))
    .filter(
      ({ documents, isReleaseRequested, cutOffAt }) =>
        documents > 0 &&
        (documents >= documentsMax ||
          isReleaseRequested ||
          (isDrained &&
            cutOffAt !== null &&
            cutOffAt <= at &&
            (firstLeft === null || firstLeft > cutOffAt))),
    )
    .map(({ batchNumber }) => batchNumber)
  await beginRelease(tx, due)
  const closed = await closeEmptyPrintRuns(tx)
  const waiting = plan.late.length + plan.crowded.length
  return {
    gathered: plan.placed.reduce((sum, { keys }) => sum + keys.length, 0),
    gatheredFirst: plan.placed.flatMap(({ keys }) => keys).slice(0, keysListedMax),
    due,
    isMore: !isDrained || (waiting > 0 && due.length + closed > 0),
  }
}

// Computes the dates of the runs again, because capabilities may have changed since the last pass.
async function refreshDates(
  tx: Tx,
  stored: readonly StoredGatheringRun[],
  sites: readonly RoutableSite[],
  { at, runAgeMs }: { at: Date; runAgeMs: number },
): Promise<GatheringRun[]> {
  const runs = stored.map((run) => {
    const site = sites.find(
      ({ providerId, printLocation }) =>
        providerId === run.providerId && printLocation === run.printLocation,
    )
    const { cutOffAt, expectedDespatchOn } = run
    const dates = site && datesOf(site, run, runAgeMs)
    return { ...run, cutOffAt: cutOffAt ?? at, expectedDespatchOn, ...dates }
  })
  const changed = runs.filter(
    ({ cutOffAt, expectedDespatchOn }, index) =>
      cutOffAt.getTime() !== stored[index]!.cutOffAt?.getTime() ||
      expectedDespatchOn !== stored[index]!.expectedDespatchOn,
  )
  await updateDates(tx, changed)
  return runs
}

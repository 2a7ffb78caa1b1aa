import { type CollectingRun, datesOf, planGathering } from '@despatch/domain/print-run/gathering'
import { isStranding, planRerouting } from '@despatch/domain/print-run/rerouting'
import type { RoutableSite } from '@despatch/domain/print-run/routing'
import type { Tx } from '../database.ts'
import { listRoutableSites, lockBuilding, updateRouting } from '../provider/routing.ts'
import {
  listCollectingRuns,
  lockGatherableJobs,
  placePrintJobs,
  putAside,
  updateDates,
} from './gather.ts'
import { closeEmptyPrintRuns, releasePrintRuns } from './release.ts'
import { dissolvePrintRuns, listUnclaimedRuns } from './reroute.ts'

export type BuildOptions = {
  /** How long a run gathers documents at a site without a calendar. */
  runAgeMs: number
  /** With so many documents a run is full and released at once. */
  documentsMax: number
  /** Print jobs taken by one pass, so that its transaction stays short. */
  jobsMax: number
}

export type BuildOutcome = {
  gathered: number
  /** Keys of some of them. */
  gatheredFirst: string[]
  /** Batch numbers, in their order. */
  released: string[]
  rerouted: string[]
  /** Whether another pass may find more to do at once. */
  isMore: boolean
}

/** A print job that no site can take is looked at again after so long, and does not stand in the way of others until then. */
const unroutableSeconds = 60
/** The same for one that came too late for a run that waits for the rest of its own. */
export const lateSeconds = 5

/** Enough to follow some letters through a pass. */
const keysToldMax = 100

const nothing: BuildOutcome = {
  gathered: 0,
  gatheredFirst: [],
  released: [],
  rerouted: [],
  isMore: false,
}

/**
 * One pass of building print runs: takes the unclaimed work of sites that cannot do it away, routes PENDING print jobs, puts
 * them into the runs of their streams, and releases the runs that are due, full or asked for. A run that is due waits until all
 * that were accepted before its cut-off are in it. Passes exclude each other, in whatever process they run.
 */
export async function buildPrintRuns(tx: Tx, options: BuildOptions): Promise<BuildOutcome> {
  const at = await lockBuilding(tx)
  if (!at) return nothing
  const sites = await listRoutableSites(tx)
  if (sites.length === 0) return nothing
  const rerouted = await reroute(tx, sites, at)

  const { jobsMax, documentsMax, runAgeMs } = options
  const runs = await refreshDates(tx, sites, { at, runAgeMs })
  const jobs = await lockGatherableJobs(tx, { at, jobsMax })
  const isDrained = jobs.length < jobsMax
  const plan = planGathering(sites, runs, jobs, { at, documentsMax, runAgeMs })
  await placePrintJobs(tx, plan.placed)
  await putAside(tx, plan.unroutable, { at, seconds: unroutableSeconds })
  if (!isDrained) await putAside(tx, plan.late, { at, seconds: lateSeconds })
  await updateRouting(tx, plan.sites)

  const due = (await listCollectingRuns(tx)).filter(
    ({ documents, isReleaseAsked, cutOffAt }) =>
      documents >= documentsMax ||
      isReleaseAsked ||
      (isDrained && cutOffAt !== null && cutOffAt <= at),
  )
  const released = await releasePrintRuns(
    tx,
    due.map(({ batchNumber }) => batchNumber),
  )
  const closed = await closeEmptyPrintRuns(tx)
  const waiting = plan.late.length + plan.crowded.length
  return {
    gathered: plan.placed.reduce((sum, { keys }) => sum + keys.length, 0),
    gatheredFirst: plan.placed.flatMap(({ keys }) => keys).slice(0, keysToldMax),
    released,
    rerouted,
    isMore: !isDrained || (waiting > 0 && released.length + closed > 0),
  }
}

async function reroute(tx: Tx, sites: readonly RoutableSite[], at: Date): Promise<string[]> {
  const stranding = sites.filter((site) => isStranding(site, at))
  const runs = planRerouting(sites, await listUnclaimedRuns(tx, stranding), at)
  return dissolvePrintRuns(
    tx,
    runs.map(({ batchNumber }) => batchNumber),
  )
}

// Capabilities may have changed since the last pass.
async function refreshDates(
  tx: Tx,
  sites: readonly RoutableSite[],
  { at, runAgeMs }: { at: Date; runAgeMs: number },
): Promise<CollectingRun[]> {
  const stored = await listCollectingRuns(tx)
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

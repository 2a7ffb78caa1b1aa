import { datesOf, type GatheringRun, planGathering } from '@despatch/domain/print-run/gathering'
import { createRouter, type RoutableSite, type Router } from '@despatch/domain/print-run/routing'
import {
  couldEnter,
  listUndrained,
  planReading,
  type WaitingGroup,
} from '@despatch/domain/print-run/waiting-groups'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { listRoutableSites, lockGathering, updateCredits } from '../provider/routing.ts'
import {
  assignToRuns,
  closeEmptyPrintRuns,
  deferRouting,
  listBusyRuns,
  lockGatheringRuns,
  type StoredGatheringRun,
  updateDates,
} from './assign-to-runs.ts'
import { beginRelease } from './release.ts'
import {
  findFirstAccepted,
  isAnyInNoRun,
  listWaitingGroups,
  lockReadyJobs,
  type ReadJob,
} from './waiting-groups.ts'

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

/**
 * A print job that missed the cut-off of a run which still waits for letters of its own is checked again after this
 * time.
 */
const lateSeconds = 5

/** The number of keys that are returned for tracing. */
const keysListedMax = 100

const nothing: GatherOutcome = { gathered: 0, gatheredFirst: [], due: [], isMore: false }

/**
 * Makes one gathering pass. It routes PENDING print jobs and puts them into the runs of their streams. It ends the
 * gathering of runs that are due, full or whose release was requested; those are then released one by one. A run that
 * is due waits until all letters accepted before its cut-off that can enter it are in it, also those that another
 * transaction has locked. Letters that no site can take are not read and delay no run. Each pass decides again what the
 * sites can take, so whatever changes, those letters are gathered by the next pass. Passes exclude each other across
 * processes.
 */
export async function gatherPrintRuns(tx: Tx, options: GatherOptions): Promise<GatherOutcome> {
  const at = await lockGathering(tx)
  if (!at) return nothing
  const sites = await listRoutableSites(tx, at)
  if (sites.length === 0) return nothing

  const { jobsMax, documentsMax, runAgeMs } = options
  const held = await lockGatheringRuns(tx)
  const busy = await listBusyRuns(tx, held)
  const runs = await refreshDates(tx, held, sites, { at, runAgeMs })
  const router = createRouter(sites, at)
  const readings = planReading(await listWaitingGroups(tx, at), router, jobsMax)
  const jobs = await lockReadyJobs(tx, readings, { at, jobsMax })
  const full = busy.map((run) => ({ ...run, cutOffAt: run.cutOffAt ?? at }))
  const plan = planGathering(router, [...runs, ...full], jobs, { at, documentsMax, runAgeMs })
  await assignToRuns(tx, plan.placed, { at })
  await updateCredits(tx, router.listChanged())

  const counts = countByPlace(jobs, readings.length)
  const undrained = listUndrained(readings, counts, { router, isCut: jobs.length === jobsMax })
  const left = new Set(undrained)
  const waitingKeys = new Set(
    jobs.filter(({ place }) => left.has(readings[place]!)).map(({ key }) => key),
  )
  const late = plan.late.filter((key) => waitingKeys.has(key))
  await deferRouting(tx, late, { at, seconds: lateSeconds })

  const due = await listDue(tx, { at, documentsMax, undrained, router })
  await beginRelease(tx, due)
  const closed = await closeEmptyPrintRuns(tx)
  const waiting = plan.late.length + plan.crowded.length
  return {
    gathered: plan.placed.reduce((sum, { keys }) => sum + keys.length, 0),
    gatheredFirst: plan.placed.flatMap(({ keys }) => keys).slice(0, keysListedMax),
    due,
    isMore: undrained.length > 0 || (waiting > 0 && due.length + closed > 0),
  }
}

/** SQL: false if `gatherPrintRuns` and `reroutePrintRuns` would find nothing to do. */
export const isAnyToGather = sql<boolean>`
  exists (select from print_run where state in ('OPEN', 'RELEASED')) or ${isAnyInNoRun}`

function countByPlace(jobs: readonly ReadJob[], groups: number): number[] {
  const counts = new Array<number>(groups).fill(0)
  for (const { place } of jobs) counts[place]! += 1
  return counts
}

type Drained = {
  at: Date
  documentsMax: number
  undrained: readonly WaitingGroup[]
  router: Router
}

/** Returns the batch numbers of the runs whose gathering ends now, in order. */
async function listDue(tx: Tx, { at, documentsMax, undrained, router }: Drained) {
  const runs = (await lockGatheringRuns(tx)).filter(({ documents }) => documents > 0)
  const isPast = ({ cutOffAt }: StoredGatheringRun) => cutOffAt !== null && cutOffAt <= at
  // others may have become ready since the groups were listed
  const groups = runs.some(isPast) ? await listWaitingGroups(tx, at) : []
  const due: string[] = []
  for (const run of runs) {
    const isDue =
      run.documents >= documentsMax ||
      run.isReleaseRequested ||
      (isPast(run) &&
        !undrained.some((group) => couldEnter(group, run, router)) &&
        !(await isAnyLeft(tx, { run, groups, at, router })))
    if (isDue) due.push(run.batchNumber)
  }
  return due
}

/** Whether a letter accepted before the cut-off of the run could still enter it. */
async function isAnyLeft(
  tx: Tx,
  {
    run,
    groups,
    at,
    router,
  }: { run: StoredGatheringRun; groups: readonly WaitingGroup[]; at: Date; router: Router },
): Promise<boolean> {
  const able = groups.filter((group) => couldEnter(group, run, router))
  const firstLeft = await findFirstAccepted(tx, able, at)
  return firstLeft !== null && firstLeft <= run.cutOffAt!
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

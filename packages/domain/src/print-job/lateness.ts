import type { WorkingTimes } from '../calendar/cut-off.ts'
import { readyUntil } from '../calendar/due-date.ts'
import { addDays, londonDateOf, londonInstant } from '../calendar/london.ts'
import { workingSecondsBetween } from '../calendar/working-time.ts'
import type { LondonDate } from '../print-run/capabilities.ts'
import type { PrintRunDespatchMethod } from '../print-run/despatch-method.ts'
import type { PrintRunState } from '../print-run/state.ts'

/** How a letter stands against its due date. docs/due-dates.md has the rules. */
export const latenesses = [
  'despatched',
  'in-production',
  'before-production',
  'at-risk',
  'overdue',
] as const
export type Lateness = (typeof latenesses)[number]

/** Releasing a print run takes up to this long after its cut-off while nothing is wrong, in milliseconds. */
const releasingMs = 600_000
/** Providers report despatches during the night after the due date. */
const reportingMs = 12 * 3_600_000
const daySeconds = 86_400

/** A letter that is in no print run, and not held: a held letter has no due date. */
export type WaitingLetter = {
  dueOn: LondonDate
  /** The last cut-off that despatches it on that date: see `readyUntil`. */
  lastCutOffAt: Date
  isParked: boolean
}

/** Returns the lateness of a letter that is in no print run. */
export function latenessOfWaiting(
  { dueOn, lastCutOffAt, isParked }: WaitingLetter,
  now: Date,
): Lateness {
  if (now >= endOf(dueOn)) return 'overdue'
  const isTooLate = +now >= +lastCutOffAt + releasingMs
  return isParked || isTooLate ? 'at-risk' : 'before-production'
}

/** The despatch dates that are searched for a missed cut-off. */
const missedDaysMax = 60

/**
 * Returns the instant before which a letter in no print run must be ready to be at risk or overdue, although it is not
 * parked. Returns undefined if no site has a cut-off for the despatch method.
 */
export function missedUntil(
  sites: readonly WorkingTimes[],
  despatchMethod: PrintRunDespatchMethod,
  now: Date,
): Date | undefined {
  const today = londonDateOf(now)
  let missed = readyUntil(sites, despatchMethod, addDays(today, -1))
  for (let days = 0; days < missedDaysMax; days += 1) {
    const until = readyUntil(sites, despatchMethod, addDays(today, days))
    if (!until || +until + releasingMs > +now) break
    missed = until
  }
  return missed
}

/** A print run with the date on which its documents must be despatched. */
export type DueRun = {
  state: PrintRunState
  despatchMethod: PrintRunDespatchMethod
  dueOn: LondonDate
  cutOffAt: Date | null
  leaseUntil: Date | null
  site: WorkingTimes & { documentsPerDayMax?: number }
  /** Documents neither posted nor ended, of this run and of the site's runs that are due on the date or earlier. */
  toPrintCount: number
}

/** Where a document of a print run is. `posted`: in a posting that is not confirmed yet. */
export type DocumentStage = 'waiting' | 'posted' | 'despatched'

/** Returns the lateness of the documents of a print run that are at this stage. */
export function latenessInRun(run: DueRun, stage: DocumentStage, now: Date): Lateness {
  if (stage === 'despatched') return 'despatched'
  const isClaimed = run.state !== 'OPEN' && run.state !== 'RELEASED'
  if (+now >= +endOf(run.dueOn) + (isClaimed ? reportingMs : 0)) return 'overdue'
  if (stage === 'posted') return 'in-production'
  if (isRunAtRisk(run, now)) return 'at-risk'
  return isClaimed ? 'in-production' : 'before-production'
}

function isRunAtRisk(run: DueRun, now: Date): boolean {
  const { state, site, despatchMethod, dueOn, cutOffAt, leaseUntil } = run
  const collectionAt = lastCollectionAt(run)
  if (now >= collectionAt || state === 'REFUSED') return true
  if (state === 'OPEN') return cutOffAt !== null && +now >= +cutOffAt + releasingMs
  if (state === 'CLAIMED' && leaseUntil !== null && leaseUntil <= now) return true
  const left = workingSecondsBetween(site, despatchMethod, { from: now, until: collectionAt })
  const { documentsPerDayMax } = site
  if (documentsPerDayMax !== undefined) {
    if (left < (run.toPrintCount / Math.max(1, documentsPerDayMax)) * daySeconds) return true
  }
  if (state !== 'RELEASED' || cutOffAt === null || cutOffAt >= now) return false
  // on its due date, a run that nobody has claimed has had half of its time
  const passed = workingSecondsBetween(site, despatchMethod, { from: cutOffAt, until: now })
  return passed > left && now >= londonInstant(dueOn, '00:00')
}

function lastCollectionAt({ dueOn, site }: DueRun): Date {
  const time = site.calendar?.lastCollection
  return time === undefined ? endOf(dueOn) : londonInstant(dueOn, time)
}

function endOf(date: LondonDate): Date {
  return londonInstant(addDays(date, 1), '00:00')
}

/** Identifies the site of a run. */
type SiteRef = { providerId: string; printLocation: string }

/**
 * Returns the runs with the number of documents that their site must print by the due date of each: its own and those
 * that are due on the same date or earlier.
 */
export function addToPrintCounts<Run extends SiteRef & { dueOn: LondonDate; waiting: number }>(
  runs: readonly Run[],
): (Run & { toPrintCount: number })[] {
  const bySite = Map.groupBy(runs, ({ providerId, printLocation }) =>
    JSON.stringify([providerId, printLocation]),
  )
  return [...bySite.values()].flatMap((ofSite) => {
    const counts = new Map<LondonDate, number>()
    let sum = 0
    for (const { dueOn, waiting } of ofSite.toSorted((a, b) => (a.dueOn < b.dueOn ? -1 : 1))) {
      sum += waiting
      counts.set(dueOn, sum)
    }
    return ofSite.map((run) => ({ ...run, toPrintCount: counts.get(run.dueOn)! }))
  })
}

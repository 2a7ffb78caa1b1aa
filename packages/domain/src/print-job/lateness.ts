import type { WorkingTimes } from '../calendar/cut-off.ts'
import type { DueDates, DuePeriod } from '../calendar/due-date.ts'
import { addDays, londonInstant } from '../calendar/london.ts'
import { workingSecondsBetween } from '../calendar/working-time.ts'
import type { LondonDate } from '../print-run/capabilities.ts'
import type { PrintRunDespatchMethod } from '../print-run/despatch-method.ts'
import { overdueTime } from '../print-run/overdue.ts'
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
const daySeconds = 86_400

/** Returns the lateness of a letter that is in no print run and not held: a held letter has no due date. */
export function latenessOfWaiting(
  { dueOn, until, isParked }: Pick<DuePeriod, 'dueOn' | 'until'> & { isParked: boolean },
  now: Date,
): Lateness {
  if (now >= endOf(dueOn)) return 'overdue'
  const isTooLate = +now >= +until + releasingMs
  return isParked || isTooLate ? 'at-risk' : 'before-production'
}

/**
 * A letter in no print run that is not parked is at risk or overdue if it was ready before the returned instant.
 * Undefined: no such letter is.
 */
export function missedUntil(dueDates: DueDates, now: Date): Date | undefined {
  return dueDates.periodOf(new Date(+now - releasingMs))?.from
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
  if (isRunOverdue(run, now)) return 'overdue'
  if (stage === 'posted') return 'in-production'
  if (isRunAtRisk(run, now)) return 'at-risk'
  const isClaimed = !['OPEN', 'RELEASED', 'REFUSED'].includes(run.state)
  return isClaimed ? 'in-production' : 'before-production'
}

/** Returns whether documents of the run should have been despatched by now. */
export function isRunOverdue(
  { state, dueOn }: Pick<DueRun, 'state' | 'dueOn'>,
  now: Date,
): boolean {
  const time = overdueTime(state)
  return time !== undefined && now >= londonInstant(addDays(dueOn, 1), time)
}

function isRunAtRisk(run: DueRun, now: Date): boolean {
  const { state, site, despatchMethod, dueOn, cutOffAt, leaseUntil } = run
  const collectionAt = lastCollectionAt(run)
  if (now >= collectionAt || state === 'REFUSED') return true
  if (state === 'OPEN') return cutOffAt !== null && +now >= +cutOffAt + releasingMs
  if (state === 'CLAIMED' && leaseUntil !== null && leaseUntil <= now) return true
  const left = workingSecondsBetween(site, despatchMethod, { from: now, until: collectionAt })
  const { documentsPerDayMax = Infinity } = site
  if (left < (run.toPrintCount / Math.max(1, documentsPerDayMax)) * daySeconds) return true
  if (state !== 'RELEASED' || cutOffAt === null) return false
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
    for (const { dueOn, waiting } of ofSite.toSorted(byDueDate)) {
      sum += waiting
      counts.set(dueOn, sum)
    }
    return ofSite.map((run) => ({ ...run, toPrintCount: counts.get(run.dueOn)! }))
  })
}

function byDueDate(one: { dueOn: LondonDate }, other: { dueOn: LondonDate }): number {
  return Date.parse(one.dueOn) - Date.parse(other.dueOn)
}

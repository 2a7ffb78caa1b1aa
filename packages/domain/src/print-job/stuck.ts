import type { WorkingTimes } from '../calendar/cut-off.ts'
import { addDays, londonInstant } from '../calendar/london.ts'
import { workingSecondsBetween } from '../calendar/working-time.ts'
import type { LondonDate } from '../print-run/capabilities.ts'
import type { PrintRunDespatchMethod } from '../print-run/despatch-method.ts'

/** How long each thing takes at most while nothing is wrong. */
const usualSeconds = {
  // a print job waits for its uploads for an hour
  quarantine: 3_900,
  validating: 300,
  routing: 300,
  releasing: 600,
  // after the day of despatch: that the letters went is told in the night
  despatching: 12 * 3_600,
}

/** The longest-standing of each kind; null where there is none. Parked and held print jobs are not among them. */
export type StuckFacts = {
  quarantineSince: Date | null
  validatingSince: Date | null
  /** PENDING in no print run, although it may be in one. */
  routingSince: Date | null
  /** Print runs that still owe a letter. */
  runs: readonly OwingRun[]
}

export type OwingRun = {
  stage: 'open' | 'released' | 'claimed'
  despatchMethod: PrintRunDespatchMethod
  site: WorkingTimes
  cutOffAt: Date | null
  expectedDespatchOn: LondonDate | null
}

export type StuckSeconds = Record<'QUARANTINE' | 'VALIDATING' | 'PENDING' | 'PRODUCTION', number>

/**
 * How far the longest-standing print job of each status is beyond what is usual there, in seconds; 0 when none is. What
 * waits for a factory is measured in the time that its site works: nights count on its days, weekends and maintenance do not.
 */
export function findStuckSeconds(facts: StuckFacts, now: Date): StuckSeconds {
  const beyond = (since: Date | null, seconds: number) =>
    since ? (now.getTime() - since.getTime()) / 1000 - seconds : 0
  const { quarantine, validating, routing, releasing, despatching } = usualSeconds
  const of = (stage: OwingRun['stage']) => facts.runs.filter((run) => run.stage === stage)
  return {
    QUARANTINE: longest([beyond(facts.quarantineSince, quarantine)]),
    VALIDATING: longest([beyond(facts.validatingSince, validating)]),
    PENDING: longest([
      beyond(facts.routingSince, routing),
      ...of('open').map(({ cutOffAt }) => beyond(cutOffAt, releasing)),
      ...of('released').map((run) => sinceDespatchDay(run, now)),
    ]),
    PRODUCTION: longest(of('claimed').map((run) => sinceDespatchDay(run, now) - despatching)),
  }
}

/** The site's own time since the end of the day on which the run was to be despatched. */
function sinceDespatchDay({ expectedDespatchOn, site, despatchMethod }: OwingRun, now: Date) {
  if (expectedDespatchOn === null) return 0
  const from = londonInstant(addDays(expectedDespatchOn, 1), '00:00')
  return workingSecondsBetween(site, despatchMethod, { from, until: now })
}

function longest(seconds: readonly number[]): number {
  return Math.max(0, ...seconds)
}

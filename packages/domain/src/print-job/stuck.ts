import type { WorkingTimes } from '../calendar/cut-off.ts'
import { addDays, londonInstant } from '../calendar/london.ts'
import { workingSecondsBetween } from '../calendar/working-time.ts'
import type { LondonDate } from '../print-run/capabilities.ts'
import type { PrintRunDespatchMethod } from '../print-run/despatch-method.ts'

/** The longest usual time of each stage while nothing is wrong, in seconds. */
const usualSeconds = {
  // a print job waits up to an hour for its uploads
  quarantine: 3_900,
  validating: 300,
  routing: 300,
  releasing: 600,
  // after the day of despatch: providers report despatches during the night
  despatching: 12 * 3_600,
}

/** The oldest of each kind; null if there is none. Parked and held print jobs are excluded. */
export type StuckFacts = {
  quarantineSince: Date | null
  validatingSince: Date | null
  /** PENDING and in no print run, although it could be in one. */
  routingSince: Date | null
  /** Print runs that still owe a letter. */
  runs: readonly UnfinishedRun[]
}

export type UnfinishedRun = {
  stage: 'open' | 'released' | 'claimed'
  despatchMethod: PrintRunDespatchMethod
  site: WorkingTimes
  cutOffAt: Date | null
  expectedDespatchOn: LondonDate | null
}

export type StuckSeconds = Record<'QUARANTINE' | 'VALIDATING' | 'PENDING' | 'PRODUCTION', number>

/**
 * Returns, for each status, how many seconds its oldest print job exceeds the usual time; 0 if none does. Waiting for a
 * factory is measured in the working time of its site: nights count on its working days; weekends and maintenance do
 * not.
 */
export function findStuckSeconds(facts: StuckFacts, now: Date): StuckSeconds {
  const beyond = (since: Date | null, seconds: number) =>
    since ? (now.getTime() - since.getTime()) / 1000 - seconds : 0
  const { quarantine, validating, routing, releasing, despatching } = usualSeconds
  const of = (stage: UnfinishedRun['stage']) => facts.runs.filter((run) => run.stage === stage)
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

/** Returns the working seconds of the site since the end of the expected despatch date. */
function sinceDespatchDay({ expectedDespatchOn, site, despatchMethod }: UnfinishedRun, now: Date) {
  if (expectedDespatchOn === null) return 0
  const from = londonInstant(addDays(expectedDespatchOn, 1), '00:00')
  return workingSecondsBetween(site, despatchMethod, { from, until: now })
}

function longest(seconds: readonly number[]): number {
  return Math.max(0, ...seconds)
}

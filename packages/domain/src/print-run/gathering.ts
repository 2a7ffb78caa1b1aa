import { expectedDespatchDate, nextCutOff } from '../calendar/cut-off.ts'
import type { LondonDate } from './capabilities.ts'
import { mailFormatOf } from './mail-format.ts'
import type { PrintNeeds, RoutableSite, Router } from './routing.ts'
import { type PrintStream, streamKey } from './stream.ts'

/** A PENDING print job that is in no print run. */
export type GatherableJob = Omit<PrintStream, 'format'> & {
  key: string
  sheets: number
  /** When it became PENDING, was released, or its day began, whichever is latest. */
  acceptedAt: Date
}

/** A print run that gathers documents. A planned one has no batch number yet. */
export type GatheringRun = PrintStream & {
  batchNumber?: string
  providerId: string
  printLocation: string
  openedAt: Date
  cutOffAt: Date
  expectedDespatchOn: LondonDate | null
  documents: number
}

export type GatheringLimits = {
  at: Date
  /** How long a run gathers at a site without a calendar, in milliseconds. */
  runAgeMs: number
  /** The limit of documents in one run. */
  documentsMax: number
}

export type Gathering = {
  /** The runs that receive documents, each with the keys of its print jobs. */
  placed: { run: GatheringRun; keys: string[] }[]
  /** Accepted after the cut-off of the run that is still gathering. */
  late: string[]
  /** The gathering run is full; they go into the next one. */
  crowded: string[]
}

/**
 * A print job accepted before a cut-off belongs to that cut-off even if the pass that gathers it runs up to this much
 * later.
 */
const lookBackMs = 60_000

/**
 * Decides which print run each print job goes into, and which runs to open. Handles the print jobs in order. Print jobs
 * that no site can take stay where they are.
 */
export function planGathering(
  router: Pick<Router, 'route'>,
  runs: readonly GatheringRun[],
  jobs: readonly GatherableJob[],
  limits: GatheringLimits,
): Gathering {
  const collecting = new Map(runs.map((run) => [runKey(run, run), { run, keys: [] as string[] }]))
  const earliest = earliestOfStreams(jobs)
  const late: string[] = []
  const crowded: string[] = []
  for (const job of jobs) {
    const needs = needsOf(job)
    const route = router.route(needs)
    if (!route) continue
    const { site } = route
    const key = runKey(site, needs)
    let place = collecting.get(key)
    if (!place) {
      place = { run: openRun(site, needs, earliest.get(streamKey(needs))!, limits), keys: [] }
      collecting.set(key, place)
    }
    const { run, keys } = place
    if (site.capabilities.calendar && job.acceptedAt > run.cutOffAt) late.push(job.key)
    else if (run.documents + keys.length >= limits.documentsMax) crowded.push(job.key)
    else {
      route.take()
      keys.push(job.key)
    }
  }
  const placed = [...collecting.values()].filter(({ keys }) => keys.length > 0)
  return { placed, late, crowded }
}

/**
 * Returns when a gathering run of a site is released and when its documents will be despatched. Returns undefined if
 * the site has no cut-off for the despatch method.
 */
export function datesOf(
  { capabilities }: RoutableSite,
  { despatchMethod, openedAt }: { despatchMethod: PrintStream['despatchMethod']; openedAt: Date },
  runAgeMs: number,
): { cutOffAt: Date; expectedDespatchOn: LondonDate | null } | undefined {
  const { calendar, maintenance } = capabilities
  const cutOffAt = calendar
    ? nextCutOff({ calendar, maintenance }, despatchMethod, openedAt)
    : new Date(openedAt.getTime() + runAgeMs)
  if (!cutOffAt) return undefined
  const expectedDespatchOn = expectedDespatchDate(capabilities, despatchMethod, cutOffAt) ?? null
  return { cutOffAt, expectedDespatchOn }
}

function openRun(
  site: RoutableSite,
  { despatchMethod, stationery, plex, colour, format }: PrintNeeds,
  earliestAcceptedAt: number,
  { at, runAgeMs }: GatheringLimits,
): GatheringRun {
  const lookedBack = new Date(Math.min(Math.max(earliestAcceptedAt, +at - lookBackMs), +at))
  const opening = (openedAt: Date) => {
    const dates = datesOf(site, { despatchMethod, openedAt }, runAgeMs)
    return dates && { openedAt, ...dates }
  }
  // the last cut-off within the 400-day search from `at` may be out of reach from the day before
  const opened = (site.capabilities.calendar && opening(lookedBack)) ?? opening(at)
  if (!opened) throw new Error(`${site.printLocation} has no cut-off for ${despatchMethod}`)
  const { providerId, printLocation } = site
  const stream = { despatchMethod, stationery, plex, colour, format }
  return { providerId, printLocation, ...stream, ...opened, documents: 0 }
}

function earliestOfStreams(jobs: readonly GatherableJob[]): ReadonlyMap<string, number> {
  const earliest = new Map<string, number>()
  for (const job of jobs) {
    const key = streamKey(needsOf(job))
    earliest.set(key, Math.min(earliest.get(key) ?? Number.POSITIVE_INFINITY, +job.acceptedAt))
  }
  return earliest
}

function needsOf(job: GatherableJob): PrintNeeds {
  return { ...job, format: mailFormatOf(job.sheets) }
}

/** Returns a key that is equal for the runs of one stream at one site. */
export function runKey(
  { providerId, printLocation }: { providerId: string; printLocation: string },
  stream: PrintStream,
): string {
  return JSON.stringify([providerId, printLocation, streamKey(stream)])
}

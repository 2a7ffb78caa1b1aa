import { mailFormatOf } from './mail-format.ts'
import type { PrintNeeds, Router } from './routing.ts'
import { isSameStream, type PrintStream } from './stream.ts'

/**
 * PENDING print jobs in no print run that have the same contract, despatch method and number of sheets. The same sites
 * can take them.
 */
export type WaitingGroup = Omit<PrintNeeds, 'format'> & { contractId: string }

/** How many print jobs of a group a pass reads at most. */
export type GroupReading = WaitingGroup & { jobsMax: number }

/** A pass reads at least this part of its print jobs from one group if that many wait, so that it reads few groups. */
const groupsAtOnce = 5

/** Returns what the print jobs of a group require of a site. */
export function needsOfGroup(group: WaitingGroup): PrintNeeds {
  return { ...group, format: mailFormatOf(group.sheets) }
}

/** Whether no site can take the print jobs of the group now. */
export function isUnroutable(group: WaitingGroup, router: Pick<Router, 'roomFor'>): boolean {
  return router.roomFor(needsOfGroup(group)) === 0
}

/**
 * Decides how many print jobs of each group a pass reads. It reads none that no site can take, and no more of a group
 * than the sites have room for.
 */
export function planReading(
  groups: readonly WaitingGroup[],
  router: Pick<Router, 'roomFor'>,
  jobsMax: number,
): GroupReading[] {
  const routable = groups.filter((group) => !isUnroutable(group, router))
  const share = Math.ceil(jobsMax / Math.min(groupsAtOnce, routable.length))
  return routable.map((group) => ({
    ...group,
    jobsMax: Math.min(share, router.roomFor(needsOfGroup(group))),
  }))
}

/**
 * Returns the groups of which print jobs may be left that a site can take. `counts` has how many of each group were read,
 * in the order of the groups. If `isCut`, reading stopped within or after the last group with a print job.
 */
export function listUndrained(
  readings: readonly GroupReading[],
  counts: readonly number[],
  { router, isCut }: { router: Pick<Router, 'roomFor'>; isCut: boolean },
): GroupReading[] {
  const readWhole = isCut ? counts.findLastIndex((count) => count > 0) : readings.length
  return readings.filter(
    (reading, index) =>
      (index >= readWhole || counts[index]! >= reading.jobsMax) && !isUnroutable(reading, router),
  )
}

/** Whether a print job of the group could go into that run. A pass asks it of every group for every run that is due. */
export function couldEnter(
  group: WaitingGroup,
  run: PrintStream & { providerId: string; printLocation: string },
  router: Pick<Router, 'sitesFor'>,
): boolean {
  const needs = needsOfGroup(group)
  return (
    isSameStream(needs, run) &&
    router
      .sitesFor(needs)
      .some(
        ({ providerId, printLocation }) =>
          providerId === run.providerId && printLocation === run.printLocation,
      )
  )
}

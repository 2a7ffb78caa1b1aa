import { maintenanceAt } from '../calendar/maintenance.ts'
import { documentsLeft, doesProduce, isAway, type RoutableSite } from './routing.ts'
import type { PrintStream } from './stream.ts'

/** An unclaimed print run, OPEN or RELEASED. */
export type UnclaimedRun = PrintStream & {
  batchNumber: string
  providerId: string
  printLocation: string
  openedAt: Date
  /** When it was released, or will be; null while that is unknown. */
  dueAt: Date | null
  documents: number
  /** The sheets of its largest document. */
  sheetsMax: number
}

/** Whether a site may have print runs that it cannot take: it is disabled, away, or in maintenance. */
export function isStranding(site: RoutableSite, at: Date): boolean {
  return (
    !site.enabled ||
    isAway(site, at) ||
    maintenanceAt(site.capabilities.maintenance, at) !== undefined
  )
}

/**
 * Returns the print runs whose documents must go to other sites. Their site is disabled or away, or they are due during
 * maintenance that began after they were opened. A run stays at its site unless other sites can take all of its
 * documents now: moving it would not help.
 */
export function planRerouting(
  sites: readonly RoutableSite[],
  runs: readonly UnclaimedRun[],
  at: Date,
): UnclaimedRun[] {
  const left = new Map(sites.map((site) => [site, documentsLeft(site, at)]))
  return runs.filter((run) => {
    const site = sites.find((candidate) => isOf(run, candidate))
    if (!site || !isStranded(run, site, at)) return false
    const able = sites.filter((other) => doesProduce(other, needsOf(run), at))
    const room = able.reduce((sum, other) => sum + left.get(other)!, 0)
    if (room < run.documents) return false
    let toPlace = run.documents
    for (const other of able) {
      const taken = Math.min(toPlace, left.get(other)!)
      left.set(other, left.get(other)! - taken)
      toPlace -= taken
    }
    return true
  })
}

function isStranded(run: UnclaimedRun, site: RoutableSite, at: Date): boolean {
  if (!site.enabled || isAway(site, at)) return true
  const window = maintenanceAt(site.capabilities.maintenance, at)
  if (!window || run.dueAt === null) return false
  return Date.parse(window.from) > +run.openedAt && run.dueAt <= at
}

function needsOf(run: UnclaimedRun) {
  return { ...run, sheets: run.sheetsMax }
}

function isOf(run: UnclaimedRun, { providerId, printLocation }: RoutableSite): boolean {
  return run.providerId === providerId && run.printLocation === printLocation
}

import { maintenanceAt } from '../calendar/maintenance.ts'
import { documentsLeft, doesProduce, isAway, type RoutableSite } from './routing.ts'
import type { PrintStream } from './stream.ts'

/** A print run that nobody has claimed, OPEN or RELEASED. */
export type UnclaimedRun = PrintStream & {
  batchNumber: string
  providerId: string
  printLocation: string
  openedAt: Date
  /** When it was released, or is going to be; null while nobody has said. */
  dueAt: Date | null
  documents: number
  /** Of its largest document. */
  sheetsMax: number
}

/** Whether a site may have print runs that it cannot take: it is off, away, or does not work at present. */
export function isStranding(site: RoutableSite, at: Date): boolean {
  return (
    !site.enabled ||
    isAway(site, at) ||
    maintenanceAt(site.capabilities.maintenance, at) !== undefined
  )
}

/**
 * The print runs whose documents are to go elsewhere: their site is off or away, or they are due while it is in maintenance
 * that began after they were opened; and other sites can take all of their documents now. The others stay where they are,
 * which is no worse.
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
    const able = sites.filter(
      (other) => left.get(other)! > 0 && doesProduce(other, needsOf(run), at),
    )
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

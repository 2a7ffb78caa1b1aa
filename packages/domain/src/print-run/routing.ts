import { nextCutOff } from '../calendar/cut-off.ts'
import { maintenanceAt } from '../calendar/maintenance.ts'
import type { Capabilities } from './capabilities.ts'
import type { PrintStream } from './stream.ts'
import { sheetsMaxOfEnvelopes } from './weight.ts'

/** A site as routing sees it: its capabilities, and what it received before. */
export type RoutableSite = {
  providerId: string
  printLocation: string
  enabled: boolean
  /** Its part of the documents that several sites could print, relative to the shares of the others. */
  share: number
  capabilities: Capabilities
  lastSeenAt: Date | null
  /** Null: its provider never counts as away. */
  awaySecondsMax: number | null
} & RoutingState

/** The routing state of a site. */
type RoutingState = {
  /** How much of its share the site is owed. */
  credit: number
  /** The documents that were put into its print runs on this London day and are still there to be printed. */
  routedToday: number
}

/** What a document requires of a site. */
export type PrintNeeds = PrintStream & { sheets: number }

/** Whether a site can print a document at all. Colour printers also print in black. */
export function canPrint(capabilities: Capabilities, needs: PrintNeeds): boolean {
  return (
    capabilities.stationery.includes(needs.stationery) &&
    capabilities.formats.includes(needs.format) &&
    capabilities.plexes.includes(needs.plex) &&
    (capabilities.colour || !needs.colour) &&
    capabilities.despatchMethods.includes(needs.despatchMethod) &&
    needs.sheets <= sheetsMaxOf(capabilities)
  )
}

/** Returns the most sheets of a document that a site can print and put into an envelope. */
export function sheetsMaxOf({ sheetsMax, materials }: Capabilities): number {
  return Math.min(sheetsMax, sheetsMaxOfEnvelopes(materials))
}

/** Whether its provider has been silent for longer than it may be. A provider that was never seen is away. */
export function isAway({ lastSeenAt, awaySecondsMax }: RoutableSite, at: Date): boolean {
  return awaySecondsMax !== null && +at - +(lastSeenAt ?? 0) > awaySecondsMax * 1000
}

/** Whether a site has a part in routing: it is enabled, has a share, and its provider is not away. */
export function isRoutable(site: RoutableSite, at: Date): boolean {
  return site.enabled && site.share > 0 && !isAway(site, at)
}

/** Returns how many documents a site may receive now: none if it is disabled, away or in maintenance. */
export function documentsLeft(site: RoutableSite, at: Date): number {
  const { capabilities } = site
  if (!isRoutable(site, at)) return 0
  if (maintenanceAt(capabilities.maintenance, at)) return 0
  const { documentsPerDayMax = Number.POSITIVE_INFINITY } = capabilities
  return Math.max(0, documentsPerDayMax - site.routedToday)
}

/** The site for the next document. Nothing changes until `take` is called, once, before the next route is requested. */
type Route = { site: RoutableSite; take(): void }

/**
 * Distributes documents by smooth weighted round-robin. With each document, the credit of every site that can take it
 * grows by the share of that site. The site with the highest credit receives the document, and its credit falls by the
 * sum of these shares.
 */
export function createRouter(sites: readonly RoutableSite[], at: Date) {
  const standings = sites.map((site) => ({
    site,
    credit: site.credit,
    left: documentsLeft(site, at),
    /** Caches whether a despatch method has a cut-off, because a search of a year ahead is slow. */
    cutOffs: new Map<PrintNeeds['despatchMethod'], boolean>(),
  }))
  type Standing = (typeof standings)[number]

  function produces({ site, cutOffs }: Standing, needs: PrintNeeds): boolean {
    if (!canPrint(site.capabilities, needs)) return false
    const { despatchMethod } = needs
    const has = cutOffs.get(despatchMethod) ?? hasCutOff(site, despatchMethod, at)
    cutOffs.set(despatchMethod, has)
    return has
  }

  function listOpen(needs: PrintNeeds): Standing[] {
    return standings.filter((standing) => standing.left > 0 && produces(standing, needs))
  }

  /** Returns how many of such documents the sites can still take; infinity if a site has no limit. */
  function roomFor(needs: PrintNeeds): number {
    return listOpen(needs).reduce((sum, { left }) => sum + left, 0)
  }

  /** Returns the sites that can still take such documents. */
  function sitesFor(needs: PrintNeeds): RoutableSite[] {
    return listOpen(needs).map(({ site }) => site)
  }

  /** Returns the route of a document; undefined if no site can take it now. */
  function route(needs: PrintNeeds): Route | undefined {
    const able = listOpen(needs)
    const owedMost = able.reduce<Standing | undefined>(
      (most, standing) => (most && owed(most) >= owed(standing) ? most : standing),
      undefined,
    )
    return owedMost && { site: owedMost.site, take: () => pay(owedMost, able) }
  }

  /** Returns the sites whose credit has changed, with their new credit. */
  function listChanged(): RoutableSite[] {
    return standings
      .filter(({ site, credit }) => credit !== site.credit)
      .map(({ site, credit }) => ({ ...site, credit }))
  }

  function owed({ credit, site }: Standing): number {
    return credit + site.share
  }

  function pay(chosen: Standing, able: readonly Standing[]): void {
    for (const standing of able) {
      standing.credit += standing.site.share
      chosen.credit -= standing.site.share
    }
    chosen.left -= 1
  }

  return { route, roomFor, sitesFor, listChanged }
}

export type Router = ReturnType<typeof createRouter>

/** Whether a site prints such documents and has a cut-off for them within the search period. */
export function doesProduce(site: RoutableSite, needs: PrintNeeds, at: Date): boolean {
  return canPrint(site.capabilities, needs) && hasCutOff(site, needs.despatchMethod, at)
}

function hasCutOff(
  { capabilities: { calendar, maintenance } }: RoutableSite,
  despatchMethod: PrintNeeds['despatchMethod'],
  at: Date,
): boolean {
  return !calendar || nextCutOff({ calendar, maintenance }, despatchMethod, at) !== undefined
}

import { type DueDates, dueDatesAt, type SiteDates, siteDatesOf } from '../calendar/due-date.ts'
import { type PrintRunDespatchMethod, printRunDespatchMethods } from './despatch-method.ts'
import { letterSheetsMax, mailFormatOf } from './mail-format.ts'
import { canPrint, isRoutable, type RoutableSite, sheetsMaxOf } from './routing.ts'
import type { PrintStream } from './stream.ts'

/** What a contract requires of a site. */
export type Production = Pick<PrintStream, 'stationery' | 'plex' | 'colour'>

/** What a letter in no print run requires of a site. */
export type LetterNeeds = Production & {
  despatchMethod: PrintRunDespatchMethod
  /** Null until its document is composed. It then counts as a letter of one sheet. */
  sheets: number | null
}

/** Letters that the same sites may print. */
export type LetterClass = Production & {
  despatchMethod: PrintRunDespatchMethod
  sheetsFrom: number
  /** Inclusive. */
  sheetsTo: number
  dueDates: DueDates
}

/**
 * Returns how letters in no print run are due at these sites. Their due dates are those of the sites that can print
 * them and have a part in routing. If none has, all enabled sites that can print them count, because an outage of all
 * sites must not remove the due dates.
 */
export function createLetterClasses(sites: readonly RoutableSite[], at: Date) {
  const dueDatesOf = new Map<string, DueDates>()
  const siteDates = new Map<string, SiteDates | undefined>()
  const limits = [letterSheetsMax, ...sites.map(({ capabilities }) => sheetsMaxOf(capabilities))]
  const sheetsTos = [...new Set(limits)].toSorted((a, b) => a - b)

  function dueDatesFor({ sheets, ...needs }: LetterNeeds): DueDates | undefined {
    const required = { ...needs, sheets: sheets ?? 1, format: mailFormatOf(sheets ?? 1) }
    const able = sites.filter(
      ({ enabled, capabilities }) => enabled && canPrint(capabilities, required),
    )
    const routable = able.filter((site) => isRoutable(site, at))
    const chosen = routable.length > 0 ? routable : able
    const dates = chosen.flatMap((site) => datesAt(site, needs.despatchMethod) ?? [])
    if (dates.length === 0) return undefined
    const key = JSON.stringify([needs.despatchMethod, ...chosen.map((site) => sites.indexOf(site))])
    const dueDates = dueDatesOf.get(key) ?? dueDatesAt(dates)
    dueDatesOf.set(key, dueDates)
    return dueDates
  }

  function datesAt(site: RoutableSite, despatchMethod: PrintRunDespatchMethod) {
    const key = JSON.stringify([despatchMethod, sites.indexOf(site)])
    if (!siteDates.has(key)) siteDates.set(key, siteDatesOf(site.capabilities, despatchMethod))
    return siteDates.get(key)
  }

  /** Returns the classes of letters that some site can print. */
  function listClasses(productions: readonly Production[]): LetterClass[] {
    return productions.flatMap((production) =>
      printRunDespatchMethods.flatMap((despatchMethod) => {
        const needs = { ...production, despatchMethod }
        const bySheets = sheetsTos.map((sheetsTo) => ({
          sheetsTo,
          dueDates: dueDatesFor({ ...needs, sheets: sheetsTo }),
        }))
        return bySheets
          .filter(({ dueDates }, index) => dueDates !== bySheets[index + 1]?.dueDates)
          .flatMap(({ sheetsTo, dueDates }, index, ranges) => {
            const sheetsFrom = (ranges[index - 1]?.sheetsTo ?? -1) + 1
            return dueDates ? [{ ...needs, sheetsFrom, sheetsTo, dueDates }] : []
          })
      }),
    )
  }

  return { dueDatesFor, listClasses }
}

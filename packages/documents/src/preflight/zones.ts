import type { Rectangle } from '@despatch/domain/preflight/finding'
import type { RuleSet } from '@despatch/domain/preflight/rule-set'

/**
 * How the pages of a PDF are used: as pages after our address page, as a letter on whose first page we print the
 * address, or as a complete letter that is printed unchanged.
 */
export type PagesPart = 'file-page' | 'first-page-with-our-address' | 'supplied'

/** The zones of a rule set on one page. */
export type Zones = {
  areas: readonly Rectangle[]
  strips: readonly Rectangle[]
  /** The envelope's window, on the page that is visible through it. `kept` if we print the address. */
  window?: Rectangle & { use: 'kept' | 'theirs' }
}

/** Returns the zones of a page, from 1. `marks` says whether we print our marks on it. */
export function zonesOf(
  ruleSet: RuleSet,
  { part, page, marks }: { part: PagesPart; page: number; marks: boolean },
): Zones {
  const isFirst = part !== 'file-page' && page === 1
  const strips = ruleSet.reservedStrips
    .filter(({ pages }) => isFirst || pages === 'every')
    .filter(({ keptFor }) => marks || keptFor === 'factory')
    .map(({ x, y, width, height }) => ({ x, y, width, height }))
  if (!isFirst) return { areas: ruleSet.otherPageAreas, strips }
  return {
    areas: ruleSet.firstPageAreas,
    strips,
    window: { ...ruleSet.addressWindow, use: part === 'supplied' ? 'theirs' : 'kept' },
  }
}

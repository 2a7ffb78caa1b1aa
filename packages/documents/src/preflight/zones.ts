import type { Rectangle } from '@despatch/domain/preflight/finding'
import type { RuleSet } from '@despatch/domain/preflight/rule-set'

/**
 * What the pages of a PDF become: pages behind an address page of ours, a letter on whose first page we print the address,
 * or a whole letter that is printed as it is.
 */
export type PagesPart = 'file-page' | 'first-page-with-our-address' | 'supplied'

/** What a rule set says of the places on one page. */
export type Zones = {
  areas: readonly Rectangle[]
  strips: readonly Rectangle[]
  /** The envelope's window, on the page that is seen through it; `kept` when the address is ours. */
  window?: Rectangle & { use: 'kept' | 'theirs' }
}

/** The zones of a page, from 1. `marks`: whether we print our marks on it. */
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

import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleSet } from '@despatch/domain/preflight/rule-set'
import { dotsPerInch } from '../src/preflight/inspect-pages.ts'
import { openAsPrinted } from '../src/preflight/open-as-printed.ts'
import { isA4, judgeInk } from '../src/preflight/page-findings.ts'
import { geometryOf } from '../src/preflight/page-geometry.ts'
import { inkOf } from '../src/preflight/read-ink.ts'
import { zonesOf } from '../src/preflight/zones.ts'
import { paint } from '../src/render/render-page.ts'

/**
 * Paints everything on every A4 page and examines every pixel. Returns the findings about ink, as `inspectPages` must
 * find them on the pages of a file, or undefined if a page cannot be painted.
 */
export async function findOnWholePainting(
  pdf: Uint8Array,
  ruleSet: RuleSet,
): Promise<Finding[] | undefined> {
  const found = await findByEachRuleSet(pdf, [ruleSet])
  return found?.[0]
}

/** Does the same for several rule sets, in their order. Each page is painted once. */
export async function findByEachRuleSet(
  pdf: Uint8Array,
  ruleSets: readonly RuleSet[],
): Promise<Finding[][] | undefined> {
  const { pages: opened, sources } = await openAsPrinted(pdf)
  if (opened.kind === 'unreadable' || sources?.length !== opened.count) return undefined
  using pages = opened
  const findings = ruleSets.map((): Finding[] => [])
  for (const [index, source] of sources.entries()) {
    const geometry = geometryOf(source)
    if (!geometry || !ruleSets.some((ruleSet) => isA4(geometry, { part: 'file-page', ruleSet })))
      continue
    const page = index + 1
    const { shown } = geometry
    const size = { width: inPixels(shown.width), height: inPixels(shown.height) }
    const looked = pages.look(page, (open) => inkOf(paint(open, size), shown))
    if (looked.kind === 'unreadable') return undefined
    for (const [place, ruleSet] of ruleSets.entries()) {
      if (!isA4(geometry, { part: 'file-page', ruleSet })) continue
      const zones = zonesOf(ruleSet, { part: 'file-page', page, marks: true })
      const found = judgeInk(looked.seen, { ruleSet, zones, page })
      findings[place]!.push(...found.toSorted((one, other) => (one.rule < other.rule ? -1 : 1)))
    }
  }
  return findings
}

function inPixels(millimetres: number): number {
  return Math.round((millimetres / 25.4) * dotsPerInch)
}

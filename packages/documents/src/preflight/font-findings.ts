import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleSet } from '@despatch/domain/preflight/rule-set'
import type { PageFont } from '../render/page-fonts.ts'
import { finding } from './page-findings.ts'
import { sentences } from './sentences.ts'

/**
 * The names that every PDF reader knows. Any other name could reveal something about the sender, so it is only counted.
 */
const standardFonts = new Set([
  ...['Courier', 'Courier-Bold', 'Courier-Oblique', 'Courier-BoldOblique'],
  ...['Helvetica', 'Helvetica-Bold', 'Helvetica-Oblique', 'Helvetica-BoldOblique'],
  ...['Times-Roman', 'Times-Bold', 'Times-Italic', 'Times-BoldItalic', 'Symbol', 'ZapfDingbats'],
])

/**
 * Returns one finding for a whole file, because files use the same fonts on every page. `pages` maps pages, from 1, to
 * their fonts.
 */
export function judgeFonts(
  pages: ReadonlyMap<number, readonly PageFont[]>,
  { ruleSet, fileId }: { ruleSet: RuleSet; fileId?: string | undefined },
): Finding[] {
  const missing = [...pages]
    .map(([page, fonts]) => ({ page, names: fonts.filter(isMissing).map(({ name }) => name) }))
    .filter(({ names }) => names.length > 0)
  const [first] = missing
  if (!first) return []

  const names = new Set(missing.flatMap((each) => each.names))
  const where = { fileId, page: first.page }
  return finding('font-not-embedded', ruleSet, where, {
    detail: sentences.fonts(where, { pages: missing.length, names: listNames(names) }),
  })
}

function isMissing({ isEmbedded }: PageFont): boolean {
  return !isEmbedded
}

function listNames(names: ReadonlySet<string>): string {
  const known = [...names].filter((name) => standardFonts.has(name)).sort()
  const others = names.size - known.length
  if (others === 0) return known.join(', ')
  return known.length > 0 ? `${known.join(', ')} and ${others} more` : `${others} in all`
}

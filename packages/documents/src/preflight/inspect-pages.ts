import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleSet } from '@despatch/domain/preflight/rule-set'
import { rules } from '@despatch/domain/preflight/rules'
import type { PDFDocument, PDFPage } from 'pdf-lib'
import { ofFile } from '../inspect-content.ts'
import { hideObjects, listDrawn } from '../render/drawn-objects.ts'
import type { OpenPage } from '../render/open-pages.ts'
import { listFonts, type PageFont } from '../render/page-fonts.ts'
import { listObjects } from '../render/page-objects.ts'
import { paint } from '../render/render-page.ts'
import { boundFindings } from './bound-findings.ts'
import { judgeFonts } from './font-findings.ts'
import { findHidden, type Hidden } from './hidden-content.ts'
import type { Ink } from './ink.ts'
import { findingsOfSupplied, openAsPrinted } from './open-as-printed.ts'
import { isA4, judgeHidden, judgeInk, judgeSize } from './page-findings.ts'
import { geometryOf, type Size } from './page-geometry.ts'
import { inkOf } from './read-ink.ts'
import { chooseUnpainted, hasPlainResources, hasSmallMasks } from './unpainted-objects.ts'
import { describeUnreadable } from './unreadable.ts'
import { type PagesPart, type Zones, zonesOf } from './zones.ts'

type PagesInspection = {
  ruleSet: RuleSet
  part: PagesPart
  /** Whether Despatch prints its marks on these pages. */
  marks: boolean
  /** The file that findings name. */
  fileId?: string | undefined
  /** The same PDF already opened, if the caller has it. */
  document?: PDFDocument | undefined
  /** Whether the file has objects that later ones replace. Absent: the file is checked as if it had. */
  isRevised?: boolean | undefined
  /** Maximum of single findings, in the order of pages. Further ones are counted by rule. */
  findingsMax?: number
}

/** A pixel is a quarter of a millimetre, so an edge is known within 0.15 mm. */
export const dotsPerInch = 100

/**
 * Checks each page of a PDF as a print provider prints it (P211, P212, P401, P403 to P407). Never throws because of the file's
 * content: a file that cannot be shown is refused as damaged, encrypted or too complex. Renders each page, except
 * objects that cannot break a rule, so the caller must limit the number of pages and the time.
 */
export async function inspectPages(
  pdf: Uint8Array,
  { findingsMax = 20, ...inspection }: PagesInspection,
): Promise<Finding[]> {
  const { part, fileId } = inspection
  const { pages: opened, sources, flattened } = await openAsPrinted(pdf, inspection.document)
  if (opened.kind === 'unreadable') return [describeUnreadable(opened.why, inspection)]
  using pages = opened
  // If two readers count different numbers of pages, they do not see the same letter.
  if (sources?.length !== pages.count) return [describeUnreadable('damaged', inspection)]

  // where objects replace each other, pdf-lib and PDFium may use different ones
  const mayLeaveOut = inspection.isRevised === false && hasSmallMasks(sources)
  const undrawn = part === 'supplied' ? findingsOfSupplied(flattened!) : flattened!.findings
  const findings = undrawn.map((each) => (fileId === undefined ? each : ofFile(fileId, each)))
  const fonts = new Map<number, PageFont[]>()
  for (const [index, source] of sources.entries()) {
    const page = index + 1
    const geometry = geometryOf(source)
    if (!geometry || !isA4(geometry, inspection)) {
      findings.push(...judgeSize(geometry, { ...inspection, page }))
      continue
    }
    const zones = zonesOf(inspection.ruleSet, { ...inspection, page })
    const looked = pages.look(page, (open) =>
      see(open, { source, size: geometry.shown, zones, mayLeaveOut }),
    )
    if (looked.kind === 'unreadable') {
      return [...findings, describeUnreadable(looked.why, { ...inspection, page })]
    }
    fonts.set(page, looked.seen.fonts)
    findings.push(...judge(looked.seen, { ...inspection, page, zones }))
  }
  findings.push(...judgeFonts(fonts, inspection))
  return boundFindings(findings, findingsMax)
}

/** `ink` is absent if nothing is left to paint. */
type Seen = { ink: Ink | undefined; fonts: PageFont[]; hidden: Hidden | undefined }

function see(
  page: OpenPage,
  look: { source: PDFPage; size: Size; zones: Zones; mayLeaveOut: boolean },
): Seen {
  const { size, zones } = look
  const { window } = zones
  // first, because it refuses a page with too many of them
  const objects = listObjects(page)
  const isPainted = hideHarmless(page, look) !== 'all'
  const ink = isPainted
    ? inkOf(paint(page, pixelsOf(size)), size, window ? undefined : zones)
    : undefined
  const fonts = listFonts(page, objects)
  const hidden = window && ink && findHidden(page, { objects, place: window, size, ink })
  return { ink, fonts, hidden }
}

/** Hides what cannot break a rule, and says whether that was everything on the page. */
function hideHarmless(
  page: OpenPage,
  {
    source,
    size,
    zones,
    mayLeaveOut,
  }: { source: PDFPage; size: Size; zones: Zones; mayLeaveOut: boolean },
): 'all' | 'some' {
  if (!mayLeaveOut || zones.window) return 'some'
  const isPlain = hasPlainResources(source)
  const drawn = listDrawn(page, size)
  const harmless = chooseUnpainted(drawn, zones).filter(({ image }) => isPlain || image)
  hideObjects(page, harmless)
  return harmless.length === drawn.length ? 'all' : 'some'
}

function judge(
  { ink, hidden }: Seen,
  where: PagesInspection & { page: number; zones: Zones },
): Finding[] {
  const { ruleSet, fileId, page, zones } = where
  return [
    ...(ink ? judgeInk(ink, { ruleSet, fileId, page, zones }) : []),
    ...(hidden ? judgeHidden(hidden, { ruleSet, fileId, page }) : []),
  ].toSorted((one, other) => (rules[one.rule].number < rules[other.rule].number ? -1 : 1))
}

function pixelsOf({ width, height }: Size): Size {
  return {
    width: Math.round((width / 25.4) * dotsPerInch),
    height: Math.round((height / 25.4) * dotsPerInch),
  }
}

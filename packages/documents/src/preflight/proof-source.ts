import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleSet } from '@despatch/domain/preflight/rule-set'
import type { OpenPages } from '../render/open-pages.ts'
import { type Picture, paint } from '../render/render-page.ts'
import { openAsPrinted } from './open-as-printed.ts'
import { isA4 } from './page-findings.ts'
import { geometryOf, type Size } from './page-geometry.ts'
import type { Shape } from './proof-shapes.ts'
import { findingShapes, trimShape, zoneShapes } from './zone-shapes.ts'
import { type PagesPart, zonesOf } from './zones.ts'

/** A file of a letter, or the composed letter. `pdf` is absent if there is nothing to show. */
export type ProofSource = {
  fileId?: string | undefined
  pdf?: Uint8Array | undefined
  part: PagesPart
  marks: boolean
}

/** A page to show: its picture and the shapes over it. */
type ProofView = { size: Size; picture: Picture; shapes: Shape[] }

/** A larger page is shown at a smaller scale. */
const pixelsMax = 6_000_000

/** The pages of a source. `view` returns undefined for a page that cannot be rendered. */
type ProofPages = Disposable & { count: number; view(page: number): ProofView | undefined }

/** Opens a source for its proof. Returns undefined if none of its pages can be rendered. */
export async function openProof(
  { pdf, fileId, part, marks }: ProofSource,
  {
    ruleSet,
    findings,
    dotsPerInch,
  }: { ruleSet: RuleSet; findings: readonly Finding[]; dotsPerInch: number },
): Promise<ProofPages | undefined> {
  if (!pdf) return undefined
  const { pages, sources = [] } = await openAsPrinted(pdf)
  if (pages.kind === 'unreadable') return undefined
  return {
    count: pages.count,
    view(page) {
      const source = sources[page - 1]
      const geometry = source && geometryOf(source)
      const seen = lookAt(pages, { page, dotsPerInch, size: geometry?.shown })
      if (!seen) return undefined
      const isWhole = isA4(geometry ?? { paper: seen.size, shown: seen.size }, { part, ruleSet })
      const found = findingsOf(findings, { fileId, page })
      return {
        ...seen,
        shapes: [
          ...(isWhole ? zoneShapes(zonesOf(ruleSet, { part, page, marks })) : []),
          trimShape(seen.size),
          ...findingShapes(found, seen.size),
        ],
      }
    },
    [Symbol.dispose]: () => pages[Symbol.dispose](),
  }
}

/** Returns the findings of one page. Without a page, returns the findings that name no page. */
export function findingsOf(
  findings: readonly Finding[],
  { fileId, page }: { fileId?: string | undefined; page?: number },
): Finding[] {
  return findings.filter((each) => each.fileId === fileId && each.page === page)
}

function lookAt(
  pages: OpenPages,
  { page, dotsPerInch, size }: { page: number; dotsPerInch: number; size: Size | undefined },
): { size: Size; picture: Picture } | undefined {
  const looked = pages.look(page, (open) => {
    const shown = size ?? {
      width: (open.calls._FPDF_GetPageWidthF(open.handle) * 25.4) / 72,
      height: (open.calls._FPDF_GetPageHeightF(open.handle) * 25.4) / 72,
    }
    return { size: shown, picture: paint(open, pixelsOf(shown, dotsPerInch)) }
  })
  return looked.kind === 'seen' ? looked.seen : undefined
}

function pixelsOf({ width, height }: Size, dotsPerInch: number): Size {
  const scale = Math.min(dotsPerInch / 25.4, Math.sqrt(pixelsMax / (width * height)))
  const atLeastOne = (length: number) => Math.max(1, Math.round(length * scale))
  return { width: atLeastOne(width), height: atLeastOne(height) }
}

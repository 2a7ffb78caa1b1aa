import { type Finding, isRefused } from '@despatch/domain/preflight/finding'
import { composeLetter } from '../../src/compose-letter.ts'
import { detectMediaType } from '../../src/file-signature.ts'
import { inspectContent } from '../../src/inspect-content.ts'
import { aLetter } from '../letters.ts'
import { otherRenderers, type PageRenderer, proofRenderer } from '../other-renderers.ts'
import type { PagePicture } from '../page-picture.ts'
import { differingPerMille } from './differing-pixels.ts'
import { kindsOf } from './kinds-of-pdf.ts'
import { picturesAsPages } from './pictures-as-pages.ts'

/** What became of a file. */
export type ComparedFile = { kinds: readonly string[] } & (
  | { outcome: 'refused'; rules: readonly string[] }
  | { outcome: 'not-compared'; why: string }
  | {
      outcome: 'compared'
      pages: number
      differing: readonly DifferingPage[]
      unread: readonly string[]
    }
)

export type DifferingPage = { page: number; renderer: string; perMille: number }

/** More pages of one file show nothing more. */
const pagesMax = 60
const perMilleMax = 1
const dotsPerInch = 72
/** Our picture of an image is scaled by another program than the renderer's. */
const cellOfImages = 8

/**
 * Composes a letter of one file and compares each page, in each renderer of this machine, with the same page of the
 * file. Pages of any size are compared: only findings about the file as a whole refuse it.
 */
export async function compareFile(bytes: Uint8Array): Promise<ComparedFile> {
  const mediaType = detectMediaType(bytes.subarray(0, 64), bytes.length)
  if (!mediaType) return { outcome: 'not-compared', why: 'no file that is printed', kinds: [] }

  const file = { fileId: 'file', bytes, mediaType }
  const { findings, pages = 0, openDocument } = await inspectContent(file)
  const document = await openDocument?.()
  const kinds = document ? kindsOf(document) : [mediaType]
  if (isRefused(findings)) return { outcome: 'refused', rules: rulesOf(findings), kinds }
  if (pages > pagesMax) {
    return { outcome: 'not-compared', why: `more than ${pagesMax} pages`, kinds }
  }
  const { documentId, ...letter } = aLetter
  const composed = await composeLetter({
    ...letter,
    pages: [{ ...file, count: pages, document }],
    marks: false,
  })
  if (composed.kind === 'refused') {
    return { outcome: 'refused', rules: rulesOf(composed.findings), kinds }
  }
  const differing: DifferingPage[] = []
  const unread: string[] = []
  const pictures =
    mediaType === 'application/pdf'
      ? undefined
      : await picturesAsPages(file, composed.pdf, dotsPerInch)
  for (const renderer of [proofRenderer, ...otherRenderers()]) {
    const original = pictures ?? (await rendered(renderer, bytes))
    const printed = await rendered(renderer, composed.pdf)
    if (typeof original === 'string') unread.push(original)
    else if (typeof printed === 'string') {
      differing.push({ page: 0, renderer: printed, perMille: 1000 })
    } else
      differing.push(
        ...comparePages(original, printed.slice(1), {
          renderer: renderer.name,
          cell: pictures ? cellOfImages : 1,
        }),
      )
  }
  return { outcome: 'compared', pages, differing, unread, kinds }
}

/** Returns the pages, or why this renderer cannot read them. */
async function rendered(renderer: PageRenderer, pdf: Uint8Array) {
  try {
    return await renderer.render(pdf, dotsPerInch, 'the file')
  } catch (error) {
    return `${renderer.name}: ${error instanceof Error ? error.message : error}`
  }
}

function comparePages(
  original: readonly PagePicture[],
  printed: readonly PagePicture[],
  { renderer, cell }: { renderer: string; cell: number },
): DifferingPage[] {
  const pages = Math.max(original.length, printed.length)
  return Array.from({ length: pages }, (_, index) => {
    const [one, other] = [original[index], printed[index]]
    return {
      page: index + 1,
      renderer,
      perMille: one && other ? differingPerMille(one, other, cell) : 1000,
    }
  }).filter(({ perMille }) => perMille > perMilleMax)
}

function rulesOf(findings: readonly Finding[]): string[] {
  const refusals = findings.filter(({ severity }) => severity === 'refusal')
  return [...new Set(refusals.map(({ rule }) => rule))]
}

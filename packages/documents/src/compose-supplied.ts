import type { PDFPage } from 'pdf-lib'
import { a4, points } from './a4.ts'
import { type Composition, countSheets, type Plex } from './composed-document.ts'
import type { MediaType } from './file-signature.ts'
import { openPdf } from './open-pdf.ts'

/** A page may differ from A4 by this in either direction, in points. */
const tolerance = points(2)
/** The refusal names this many pages and counts the rest. */
const pagesNamedMax = 10

/**
 * Takes a PDF to be printed as it was supplied: the same bytes, with pages and sheets counted.
 * Refused when it is not a PDF that can be read, or a page, once turned as it says, is not A4
 * portrait within 2 mm.
 */
export async function composeSupplied({
  file: { fileId, mediaType, bytes },
  plex = 'duplex',
}: {
  file: { fileId: string; mediaType: MediaType; bytes: Uint8Array }
  plex?: Plex
}): Promise<Composition> {
  if (mediaType !== 'application/pdf') {
    return { kind: 'refused', fileId, reason: 'The file is not a PDF.' }
  }
  const opened = await openPdf(bytes)
  if (opened.kind === 'unsound') return { kind: 'refused', fileId, reason: opened.reason }

  const otherSizes = opened.document
    .getPages()
    .flatMap((page, index) => (isA4Portrait(page) ? [] : [index + 1]))
  if (otherSizes.length > 0) return { kind: 'refused', fileId, reason: describeSizes(otherSizes) }

  const { pages } = opened
  return { kind: 'composed', pdf: bytes, pages, sheets: countSheets(pages, plex) }
}

function isA4Portrait(page: PDFPage): boolean {
  const { width, height } = page.getMediaBox()
  const isTurned = Math.abs(page.getRotation().angle % 180) === 90
  const [across, down] = isTurned ? [height, width] : [width, height]
  return Math.abs(across - a4.width) <= tolerance && Math.abs(down - a4.height) <= tolerance
}

function describeSizes(pageNumbers: readonly number[]): string {
  const named = pageNumbers.slice(0, pagesNamedMax).join(', ')
  const others = pageNumbers.length - pagesNamedMax
  const rest = others > 0 ? ` and ${others} more` : ''
  return `Not A4 portrait (210 × 297 mm, give or take 2 mm): page ${named}${rest}.`
}

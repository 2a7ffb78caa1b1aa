import { type PDFDocument, PDFName, PDFNumber, type PDFPage } from 'pdf-lib'
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

  const { document, pages } = opened
  const otherSizes = findOtherSizes(document)
  if (!otherSizes) return { kind: 'refused', fileId, reason: 'The PDF has a page without a size.' }
  if (otherSizes.length > 0) return { kind: 'refused', fileId, reason: describeSizes(otherSizes) }

  return { kind: 'composed', pdf: bytes, pages, sheets: countSheets(pages, plex) }
}

/** Numbers of the pages that are not A4 portrait; undefined when a page does not say what it is. */
function findOtherSizes(document: PDFDocument): number[] | undefined {
  try {
    return document.getPages().flatMap((page, index) => (isA4Portrait(page) ? [] : [index + 1]))
  } catch {
    return undefined
  }
}

function isA4Portrait(page: PDFPage): boolean {
  const { width, height } = page.getMediaBox()
  const isTurned = Math.abs(page.getRotation().angle % 180) === 90
  const [across, down] = isTurned ? [height, width] : [width, height]
  const unit = page.node.lookupMaybe(PDFName.of('UserUnit'), PDFNumber)?.asNumber() ?? 1
  return isNear(across * unit, a4.width) && isNear(down * unit, a4.height)
}

function isNear(length: number, wanted: number): boolean {
  return Math.abs(length - wanted) <= tolerance
}

function describeSizes(pageNumbers: readonly number[]): string {
  const named = pageNumbers.slice(0, pagesNamedMax).join(', ')
  const others = pageNumbers.length - pagesNamedMax
  const rest = others > 0 ? ` and ${others} more` : ''
  return `Not A4 portrait (210 × 297 mm, give or take 2 mm): page ${named}${rest}.`
}

import type { PDFDocument } from 'pdf-lib'
import { countSheets, type Plex } from '../composed-document.ts'
import type { LetterFont } from '../embed-font.ts'
import { drawInsertionMark } from './draw-insertion-mark.ts'
import { drawOnPage } from './draw-on-page.ts'

/**
 * Prints an insertion mark on the front of each sheet. Returns the numbers of the pages that have no mark because their
 * content cannot be decoded.
 */
export function addInsertionMarks(
  document: PDFDocument,
  { documentId, plex, font }: { documentId: string; plex: Plex; font: LetterFont },
): readonly number[] {
  const pages = document.getPages()
  const sheets = countSheets(pages.length, plex)
  const pagesPerSheet = plex === 'duplex' ? 2 : 1
  const unreadable: number[] = []
  for (let sheet = 1; sheet <= sheets; sheet++) {
    const front = (sheet - 1) * pagesPerSheet
    const isDrawn = drawOnPage(pages[front]!, {
      operators: drawInsertionMark({ documentId, sheet, sheets }, font.subset),
      fonts: { Mark: font.ref },
    })
    if (!isDrawn) unreadable.push(front + 1)
  }
  return unreadable
}

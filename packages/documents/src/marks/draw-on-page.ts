import type { PDFPage, PDFRef } from 'pdf-lib'
import { a4 } from '../a4.ts'
import { drawOver } from '../as-printed/draw-over.ts'
import { rounded } from '../draw-text.ts'

/** Operators for an A4 page as it is read, in points from its bottom left, and the fonts that they name. */
type Drawing = { operators: string; fonts: Readonly<Record<string, PDFRef>> }

/**
 * Draws over a page of a letter. Lengths are those of the paper and count from the top left of the page as it is read,
 * whatever its rotation. Returns false and leaves the page unchanged if its content uses an encoding that cannot be
 * read.
 */
export function drawOnPage(page: PDFPage, { operators, fonts }: Drawing): boolean {
  const matrix = placementOn(page).map(rounded).join(' ')
  return drawOver(page.node, {
    operators: `q ${matrix} cm\n${operators}\nQ`,
    resources: { Font: fonts },
  })
}

/** Returns the matrix from A4, as it is read and aligned at the top, to the page's own coordinates. */
function placementOn(page: PDFPage): readonly number[] {
  const { x, y, width, height } = page.getMediaBox()
  const turns = (((page.getRotation().angle / 90) % 4) + 4) % 4
  // Distance of A4's bottom edge below that of the page.
  const below = a4.height - (turns % 2 === 0 ? height : width)
  switch (turns) {
    case 1:
      return [0, 1, -1, 0, x + width + below, y]
    case 2:
      return [-1, 0, 0, -1, x + width, y + height + below]
    case 3:
      return [0, -1, 1, 0, x - below, y + height]
    default:
      return [1, 0, 0, 1, x, y - below]
  }
}

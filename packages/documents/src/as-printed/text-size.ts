import type { PDFFont } from 'pdf-lib'
import { heightOfLine } from './field-typeface.ts'

/** In points. A text without a size of its own gets a whole number of them. */
const sizes = { min: 4, max: 500 } as const
/** How much of a cell of a comb its character may fill, if its size is chosen. */
const cellPart = 0.75

type Box = { font: PDFFont; width: number; height: number }

/**
 * Returns the size of a text of one line: as large as its box allows if it has none (0), otherwise its own, or what fits
 * the box if that is smaller. The text is measured once.
 */
export function sizeOfLine(text: string, { font, width, height, size }: Box & { size: number }) {
  const across = width / font.widthOfTextAtSize(text.replaceAll(/\r\n|[\r\n]/g, ' '), 1)
  return size > 0
    ? atMost(size, across, height / heightOfLine.least)
    : wholeSize(across, height / heightOfLine.whole)
}

/** Returns the size at which each character of a text fits its cell of a comb, no larger than its own. */
export function sizeOfComb(
  text: string,
  { font, width, height, size, cells }: Box & { size: number; cells: number },
) {
  const widest = [...text].reduce(
    (most, character) => Math.max(most, font.widthOfTextAtSize(character, 1)),
    0,
  )
  const across = width / cells / widest
  return size > 0
    ? atMost(size, across, height / heightOfLine.least)
    : wholeSize(across * cellPart, height / heightOfLine.whole)
}

function wholeSize(...largest: number[]): number {
  return Math.max(sizes.min - 1, Math.min(sizes.max, ...largest.map(Math.floor)))
}

/** A text is not made unreadably small. What does not fit then is cut off, as in every reader. */
function atMost(size: number, ...largest: number[]): number {
  return Math.min(size, Math.max(sizes.min, Math.min(...largest)))
}

import type { PDFFont } from 'pdf-lib'

/** In points. A text without a size of its own gets a whole number of them. */
const sizes = { min: 4, max: 500 } as const
/** From one line to the next, in the height of the typeface. */
export const leading = 1.2
/** How much of a cell of a comb its character may fill. */
const cellPart = 0.75

type Box = { font: PDFFont; width: number; height: number }

/** Returns the size at which a text of one line fills its box. The text is measured once. */
export function sizeOfLine(text: string, { font, width, height }: Box): number {
  const across = width / font.widthOfTextAtSize(text.replaceAll(/\r\n|[\r\n]/g, ' '), 1)
  return wholeSize(across, height / (font.heightAtSize(1) * leading))
}

/** Returns the size at which each character of a text fits its cell of a comb. */
export function sizeOfComb(text: string, { font, width, height, cells }: Box & { cells: number }) {
  const widest = [...text].reduce(
    (most, character) => Math.max(most, font.widthOfTextAtSize(character, 1)),
    0,
  )
  const across = ((width / cells) * cellPart) / widest
  return wholeSize(across, height / font.heightAtSize(1, { descender: false }))
}

function wholeSize(...largest: number[]): number {
  return Math.max(sizes.min - 1, Math.min(sizes.max, ...largest.map(Math.floor)))
}

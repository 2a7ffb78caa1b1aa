import type { PDFDocument, PDFFont } from 'pdf-lib'
import { notoSans } from '../noto-sans.ts'

/** Measures of our typeface in the size of the type: from the line on which letters stand up, or down. */
const accents = 0.944
const capitals = 0.714
const tails = 0.24
/** A single line has its place in its box here: in the middle between capitals and tails. */
const middle = (capitals - tails) / 2

/** From one line to the next, in the size of the type. Accents and tails of two lines do not touch. */
export const lineDistance = 1.2
/** How high a box must be for a single line with accents, and for one without, in the size of the type. */
export const heightOfLine = { whole: 2 * (accents - middle), least: 2 * (tails + middle) } as const
/** How much higher the first of several lines is than the library has it. Its accents touch the top of the box. */
const raisedLines = lineDistance - accents

/** Returns how many points higher a text is than the library has it. `height` is that of its box. */
export function raisedBy(
  size: number,
  { height, isMultiline }: { height: number; isMultiline: boolean },
): number {
  return size * (isMultiline ? raisedLines : middle - footOf(height / size / 2))
}

/**
 * Returns how far below the middle of a box a single line has its foot, in the size of the type. `half` is half of the
 * box. In a low box the line moves down to keep its accents, but never so far that it loses its tails.
 */
function footOf(half: number): number {
  return Math.min(Math.max(middle, accents - half), half - tails)
}

/**
 * Embeds our typeface for fields. The library takes the distance of lines and their place from a height of the typeface
 * that has room for every script. Fields are drawn for the usual one: with that height, lines would be cut off.
 */
export async function embedTypeface(document: PDFDocument): Promise<PDFFont> {
  // the typeface is read already, so the library gets no bytes to read
  const fontkit = { create: notoSans } as unknown as Parameters<PDFDocument['registerFontkit']>[0]
  document.registerFontkit(fontkit)
  const font = await document.embedFont(new Uint8Array(0), { subset: true })
  // the library adds a fifth to the height of a line among others, and centres one line by its height above its foot
  font.heightAtSize = (size, { descender = true } = {}) => size * (descender ? 1 : 2 * middle)
  return font
}

import type { FontSubset } from './font-subset.ts'

/** A line of text, in points: its left end and baseline, and its maximum width. */
type TextLine = { text: string; size: number; x: number; y: number; width: number }

/** Returns operators that print a line inside `BT … ET`. A line wider than its maximum is narrowed. */
export function drawText(
  { text, size, x, y, width }: TextLine,
  { name, subset }: { name: string; subset: FontSubset },
): string {
  const naturalWidth = widthInEm(subset, text) * size
  const narrowedPercent = naturalWidth > width ? (100 * width) / naturalWidth : 100
  return [
    `/${name} ${size} Tf ${rounded(narrowedPercent)} Tz`,
    `1 0 0 1 ${rounded(x)} ${rounded(y)} Tm`,
    `<${glyphCodes(subset, text)}> Tj`,
  ].join(' ')
}

/** Returns the width of a text in type of size 1. */
export function widthInEm({ glyphs }: FontSubset, text: string): number {
  let width = 0
  for (const character of text) width += glyphs.get(character)!.width
  return width / 1000
}

/** Rounds a coordinate to a thousandth of a point, as it is written. */
export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}

function glyphCodes({ glyphs }: FontSubset, text: string): string {
  let codes = ''
  for (const character of text) codes += glyphs.get(character)!.id.toString(16).padStart(4, '0')
  return codes
}

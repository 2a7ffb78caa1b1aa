import type { PDFFont } from 'pdf-lib'
import { lineDistance } from './field-typeface.ts'

/** In points. A text without a size of its own is as large as its box allows, up to `usual`. */
const sizes = { usual: 12, max: 500, min: 4 } as const
const stepsPerPoint = 2
/** A longer word is not broken. */
const wordCharactersMax = 100

/**
 * Breaks a text into lines that fit the width of a box, and chooses its size: its own, or what fits the box if that is
 * smaller or it has none (0). Each word is measured once. Throws if a word is too long to be broken.
 */
export function wrapText(
  text: string,
  { font, size, width, height }: { font: PDFFont; size: number; width: number; height: number },
): { text: string; size: number } {
  const paragraphs = text
    .split(/\r\n|\r|\n/)
    .map((paragraph) =>
      paragraph.split(' ').map((word) => ({ word, em: font.widthOfTextAtSize(`${word} `, 1) })),
    )
  const broken = (points: number) => breakLines(paragraphs, width / points)
  const widest = paragraphs.flat().reduce((most, { em }) => Math.max(most, em), 0)
  const fits = (points: number) =>
    widest * points <= width && broken(points).length * lineDistance * points <= height
  const given = size > 0 ? Math.min(size, sizes.max) : sizes.usual
  const chosen = fits(given) ? given : largestThat(fits, given)
  return { text: broken(chosen).join('\n'), size: chosen }
}

/** Returns the largest size in half points below a size that does not fit. A smaller one than `sizes.min` is not read. */
function largestThat(fits: (points: number) => boolean, tooLarge: number): number {
  let most = sizes.min * stepsPerPoint
  let least = Math.ceil(tooLarge * stepsPerPoint)
  if (least <= most) return tooLarge
  while (least - most > 1) {
    const middle = Math.floor((most + least) / 2)
    if (fits(middle / stepsPerPoint)) most = middle
    else least = middle
  }
  return most / stepsPerPoint
}

/** `width` in the size of the type. */
function breakLines(
  paragraphs: readonly (readonly { word: string; em: number }[])[],
  width: number,
): string[] {
  return paragraphs.flatMap((words) => {
    const lines: string[] = []
    let line: string[] = []
    let used = 0
    for (const { word, em } of words) {
      if (em > width && word.length > wordCharactersMax) throw new Error('a word is too long')
      if (line.length > 0 && used + em > width) {
        lines.push(line.join(' '))
        line = []
        used = 0
      }
      line.push(word)
      used += em
    }
    return [...lines, line.join(' ')]
  })
}

import type { PDFFont } from 'pdf-lib'
import { leading } from './text-size.ts'

/** In points. A text without a size of its own is as large as its box allows, between these. */
const sizes = { max: 12, min: 4 } as const
/** A longer word is not broken. */
const wordCharactersMax = 100

/**
 * Breaks a text into lines that fit the width of a box, and chooses its size if it has none (0). Each word is measured
 * once. Throws if a word is too long to be broken.
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
  let chosen = size > 0 ? size : sizes.max
  let lines = broken(chosen)
  while (size === 0 && chosen > sizes.min && lines.length * lineHeight(font, chosen) > height) {
    chosen -= 0.5
    lines = broken(chosen)
  }
  return { text: lines.join('\n'), size: chosen }
}

function lineHeight(font: PDFFont, size: number): number {
  return font.heightAtSize(size) * leading
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

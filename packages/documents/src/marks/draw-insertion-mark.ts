import { ruleSets } from '@despatch/domain/preflight/rule-set'
import { a4, points } from '../a4.ts'
import { makeDataMatrix } from '../data-matrix/data-matrix.ts'
import { drawText } from '../draw-text.ts'
import type { FontSubset } from '../font-subset.ts'

/** The strip reserved for the mark, in millimetres from the top left of the page. */
const [strip] = ruleSets['standard-2026-11'].reservedStrips

/** In millimetres. A module of the smallest symbols (14 or 16 across) is then at least half a millimetre. */
const markSize = 8
/** In millimetres on every side. The symbology requires only one module. */
const quietZone = 1

const textSize = 4.5
const textLeading = 5
const textGap = points(0.4)

/** Every character that a mark may contain besides those of the document's id. */
export const insertionMarkCharacters = '0123456789/'

/**
 * Returns the text of an insertion mark: document, sheet and sheets, separated by slashes, as in `D100001/1/3`. An
 * inserting machine uses it to put the right sheets in one envelope and to notice a missing one. The Data Matrix
 * corrects its own errors, so the text needs no check character.
 */
export function insertionMarkText(documentId: string, sheet: number, sheets: number): string {
  return `${documentId}/${sheet}/${sheets}`
}

/**
 * Returns operators that print an insertion mark on an A4 page, with the font named `Mark`: a Data Matrix of 8 mm with
 * its quiet zone at the top of the reserved strip, drawn as filled rectangles, and the same text below it. The font must
 * contain the characters of the id and `insertionMarkCharacters`.
 */
export function drawInsertionMark(
  { documentId, sheet, sheets }: { documentId: string; sheet: number; sheets: number },
  subset: FontSubset,
): string {
  const top = a4.height - points(strip.y + quietZone)
  const left = points(strip.x + quietZone)
  const size = points(markSize)
  const square = drawDataMatrix(insertionMarkText(documentId, sheet, sheets), { left, top, size })

  const firstLine = top - size - points(quietZone) - textGap - textSize * 0.72
  const lines = [documentId, `${sheet}/${sheets}`].map((text, index) =>
    drawText(
      { text, size: textSize, x: left, y: firstLine - index * textLeading, width: size },
      { name: 'Mark', subset },
    ),
  )
  return `0 g\n${square}\nBT\n${lines.join('\n')}\nET`
}

/**
 * Draws in modules, scaled by a matrix. Neighbours in a row are one rectangle, and all rectangles are one path, so that
 * no gaps are visible.
 */
function drawDataMatrix(
  text: string,
  { left, top, size }: { left: number; top: number; size: number },
): string {
  const symbol = makeDataMatrix(text)
  const across = symbol.size
  const rectangles: string[] = []
  for (let row = 0; row < across; row++) {
    for (let from = 0; from < across; from++) {
      let to = from
      while (to < across && symbol.modules[row * across + to] === 1) to++
      if (to > from) rectangles.push(`${from} ${across - 1 - row} ${to - from} 1 re`)
      from = to
    }
  }
  const module = size / across
  const matrix = [module, 0, 0, module, left, top - size].map(toMicropoints).join(' ')
  return `q ${matrix} cm\n${rectangles.join('\n')}\nf Q`
}

/** Finer than other coordinates, because a module's position multiplies its size. */
function toMicropoints(value: number): number {
  return Math.round(value * 1e6) / 1e6
}

import type { PDFDocument } from 'pdf-lib'
import { a4, points } from './a4.ts'
import { drawText, widthInEm } from './draw-text.ts'
import { addLetterFont } from './embed-font.ts'
import { isPrintable, printedText } from './printed-text.ts'

const margin = points(30)
const size = 12
const leading = 16

/** Adds an A4 page with a notice that replaces what is not shown and says why. */
export function addNoticePage(document: PDFDocument, sentence: string): void {
  const text = printable(sentence)
  const font = addLetterFont(document.context, [text])
  const width = a4.width - 2 * margin
  const lines = wrap(text, (line) => widthInEm(font.subset, line) * size <= width)
  const drawn = lines.map((line, index) =>
    drawText(
      { text: line, size, x: margin, y: a4.height - points(110) - index * leading, width },
      { name: 'Notice', subset: font.subset },
    ),
  )
  const { context } = document
  const page = document.addPage([a4.width, a4.height])
  page.node.set(context.obj('Resources'), context.obj({ Font: { Notice: font.ref } }))
  page.node.set(
    context.obj('Contents'),
    context.register(context.stream(`BT\n0 g\n${drawn.join('\n')}\nET`)),
  )
}

/** The caller chooses file ids, so they may contain any character. */
function printable(sentence: string): string {
  return [...printedText(sentence)]
    .map((character) => (isPrintable(character) ? character : '?'))
    .join('')
}

/** A word that is too long for a line gets its own line, and is narrowed when drawn. */
function wrap(text: string, fits: (line: string) => boolean): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    const longer = `${last} ${word}`
    if (last !== undefined && fits(longer)) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

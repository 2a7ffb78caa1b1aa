import { a4, accent, faint, ink, margin } from './stationery.ts'
import type { TextColumn } from './text-column.ts'

const rowHeight = 38
const columnShares = [0.2, 0.27, 0.27, 0.26] as const
const headings = ['Month', 'Household', 'Paper and card', 'Garden'] as const
const months = [
  ['January', '7, 21', '14, 28', 'none'],
  ['February', '4, 18', '11, 25', 'none'],
  ['March', '4, 18', '11, 25', '18'],
  ['April', '1, 15, 29', '8, 22', '1, 15, 29'],
  ['May', '13, 27', '6, 20', '13, 27'],
  ['June', '10, 24', '3, 17', '10, 24'],
  ['July', '8, 22', '1, 15, 29', '8, 22'],
  ['August', '5, 19', '12, 26', '5, 19'],
  ['September', '2, 16, 30', '9, 23', '2, 16, 30'],
  ['October', '14, 28', '7, 21', '14, 28'],
  ['November', '11, 25', '4, 18', '11'],
  ['December', '9, 23', '2, 16, 30', 'none'],
] as const

/** Draws a table of the year's collections over the width of the page. */
export function drawCalendar(column: TextColumn): void {
  const width = a4.width - 2 * margin
  const { page, typefaces } = column
  column.paragraph('Every date is a Thursday. Bins stand at the kerb by 6.30 am.')
  for (const [row, cells] of [headings, ...months].entries()) {
    const bottom = column.y - rowHeight + 14
    const isHead = row === 0
    if (isHead || row % 2 === 0) {
      page.drawRectangle({
        x: margin,
        y: bottom,
        width,
        height: rowHeight,
        color: isHead ? accent : faint,
      })
    }
    let x = margin + 12
    for (const [index, text] of cells.entries()) {
      page.drawText(text, {
        x,
        y: bottom + 14,
        size: 10.5,
        font: isHead || index === 0 ? typefaces.bold : typefaces.regular,
        color: isHead ? faint : ink,
      })
      x += width * columnShares[index]!
    }
    column.y -= rowHeight
  }
  column.y -= 6
  column.paragraph(
    'In the weeks of public holidays collections run a day late. Garden collections are for subscribers, from March to November.',
  )
}

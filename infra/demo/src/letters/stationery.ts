import { type PDFDocument, type PDFFont, type PDFPage, rgb, StandardFonts } from 'pdf-lib'

/** A4 portrait, in points. */
export const a4 = { width: 595.28, height: 841.89 } as const
export const margin = 62

export const ink = rgb(0.13, 0.15, 0.19)
export const accent = rgb(0.05, 0.36, 0.36)
export const faint = rgb(0.87, 0.92, 0.91)
const grey = rgb(0.42, 0.45, 0.48)
const white = rgb(1, 1, 1)

export const council = 'Northmere Borough Council'
const office = 'The Old Exchange, 4 Quay Street, Northmere'

export type Typefaces = { regular: PDFFont; bold: PDFFont; italic: PDFFont }

export async function embedTypefaces(document: PDFDocument): Promise<Typefaces> {
  const [regular, bold, italic] = await Promise.all([
    document.embedFont(StandardFonts.Helvetica),
    document.embedFont(StandardFonts.HelveticaBold),
    document.embedFont(StandardFonts.HelveticaOblique),
  ])
  return { regular, bold, italic }
}

/** Printers cannot print closer to the edge: 6 mm. */
const edge = 17

/** Draws the sender's head and foot on a page. Returns where the text may begin, in points from the bottom. */
export function drawStationery(
  page: PDFPage,
  { regular, bold }: Typefaces,
  { pageNumber, pageCount }: { pageNumber: number; pageCount: number },
): number {
  const { width, height } = page.getSize()
  const bandHeight = 78
  page.drawRectangle({
    x: edge,
    y: height - bandHeight,
    width: width - 2 * edge,
    height: bandHeight - edge,
    color: accent,
  })
  drawWaves(page, { x: margin, y: height - 58 })
  page.drawText(council, { x: margin + 44, y: height - 44, size: 19, font: bold, color: white })
  page.drawText(office, { x: margin + 44, y: height - 62, size: 8.5, font: regular, color: faint })

  page.drawLine({
    start: { x: margin, y: 52 },
    end: { x: width - margin, y: 52 },
    thickness: 0.6,
    color: accent,
  })
  const foot = `Page ${pageNumber} of ${pageCount}`
  const footWidth = regular.widthOfTextAtSize(foot, 8)
  page.drawText('A letter made for a demonstration: council, people and places are invented.', {
    x: margin,
    y: 38,
    size: 8,
    font: regular,
    color: grey,
  })
  page.drawText(foot, { x: width - margin - footWidth, y: 38, size: 8, font: regular, color: grey })
  return height - bandHeight - 46
}

function drawWaves(page: PDFPage, { x, y }: { x: number; y: number }): void {
  for (const row of [0, 9, 18]) {
    page.drawSvgPath('M 0 0 q 8 -8 16 0 t 16 0', {
      x,
      y: y + 18 - row,
      borderColor: white,
      borderWidth: 2.4,
    })
  }
}

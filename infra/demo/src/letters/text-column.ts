import type { PDFFont, PDFPage } from 'pdf-lib'
import { a4, accent, ink, margin, type Typefaces } from './stationery.ts'

const size = 10.5
const leading = 15.5

/** Sets paragraphs and headings down a page, starting at `y`. */
export class TextColumn {
  y: number
  readonly page: PDFPage
  readonly typefaces: Typefaces

  constructor(page: PDFPage, typefaces: Typefaces, y: number) {
    this.page = page
    this.typefaces = typefaces
    this.y = y
  }

  heading(text: string): void {
    this.y -= 6
    this.line(text, { font: this.typefaces.bold, size: 13.5, color: accent })
    this.y -= 6
  }

  paragraph(text: string, { font = this.typefaces.regular } = {}): void {
    for (const line of wrap(text, font, a4.width - 2 * margin)) this.line(line, { font })
    this.y -= 8
  }

  bullet(text: string): void {
    const { regular } = this.typefaces
    this.page.drawCircle({ x: margin + 4, y: this.y + 3.5, size: 2, color: accent })
    for (const line of wrap(text, regular, a4.width - 2 * margin - 16)) this.line(line, { x: 16 })
    this.y -= 4
  }

  line(
    text: string,
    { font = this.typefaces.regular, size: given = size, color = ink, x = 0 } = {},
  ): void {
    this.page.drawText(text, { x: margin + x, y: this.y, size: given, font, color })
    this.y -= leading
  }
}

function wrap(text: string, font: PDFFont, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line ? `${line} ${word}` : word
    if (line && font.widthOfTextAtSize(longer, size) > width) {
      lines.push(line)
      line = word
    } else {
      line = longer
    }
  }
  return [...lines, line]
}

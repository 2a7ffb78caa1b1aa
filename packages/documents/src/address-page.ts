import type { PDFDocument } from 'pdf-lib'
import { a4 } from './a4.ts'
import { addressWindow, layOutAddress, type PlacedLine } from './address-layout.ts'
import { embedFont } from './embed-font.ts'
import { type FontSubset, subsetFor } from './font-subset.ts'

/** Adds an A4 page with nothing but the address block in the envelope's window. */
export function addAddressPage(
  document: PDFDocument,
  { handling, address }: { handling: readonly string[]; address: readonly string[] },
): void {
  const subset = subsetFor([...handling, ...address])
  const lines = layOutAddress({ handling, address }, (text) => widthInEm(subset, text))
  const drawing = lines.map((line) => drawLine(line, subset)).join('\n')

  const { context } = document
  const page = document.addPage([a4.width, a4.height])
  page.node.set(
    context.obj('Resources'),
    context.obj({ Font: { Address: embedFont(context, subset) } }),
  )
  page.node.set(
    context.obj('Contents'),
    context.register(context.stream(`BT\n0 g\n${drawing}\nET`)),
  )
}

function drawLine({ text, size, x, y, width }: PlacedLine, subset: FontSubset): string {
  const naturalWidth = widthInEm(subset, text) * size
  const narrowedPercent = naturalWidth > width ? (100 * width) / naturalWidth : 100
  const left = addressWindow.left + x
  const bottom = a4.height - addressWindow.top - y
  return [
    `/Address ${size} Tf ${rounded(narrowedPercent)} Tz`,
    `1 0 0 1 ${rounded(left)} ${rounded(bottom)} Tm`,
    `<${glyphCodes(subset, text)}> Tj`,
  ].join(' ')
}

function widthInEm({ glyphs }: FontSubset, text: string): number {
  let width = 0
  for (const character of text) width += glyphs.get(character)!.width
  return width / 1000
}

function glyphCodes({ glyphs }: FontSubset, text: string): string {
  let codes = ''
  for (const character of text) codes += glyphs.get(character)!.id.toString(16).padStart(4, '0')
  return codes
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}

import type { PDFDocument, PDFPage } from 'pdf-lib'
import { a4 } from './a4.ts'
import type { AddressBlock } from './address-block.ts'
import { addressWindow, layOutAddress } from './address-layout.ts'
import { drawText, type LetterFont, widthInEm } from './draw-text.ts'
import { type Drawing, drawOnPage } from './marks/draw-on-page.ts'
import { drawPostalBarcode, makePostalBarcode } from './marks/postal-barcode.ts'

export type PrintableBlock = Omit<Extract<AddressBlock, { kind: 'block' }>, 'kind'>

/** Adds an A4 page that contains only the address block, in the envelope's window. */
export function addAddressPage(
  document: PDFDocument,
  block: PrintableBlock,
  font: LetterFont,
): void {
  const { operators, fonts } = drawAddressBlock(block, font)
  const { context } = document
  const page = document.addPage([a4.width, a4.height])
  page.node.set(context.obj('Resources'), context.obj({ Font: { ...fonts } }))
  page.node.set(context.obj('Contents'), context.register(context.stream(operators)))
}

/**
 * Prints the address block in the window of an existing page, whatever its rotation or crop box. The caller must ensure
 * that the window is clear: nothing is painted over. Returns false and leaves the page unchanged if its content cannot
 * be decoded.
 */
export function drawAddressOnPage(page: PDFPage, block: PrintableBlock, font: LetterFont): boolean {
  return drawOnPage(page, drawAddressBlock(block, font))
}

function drawAddressBlock(
  { handling, address, deliveryPoint }: PrintableBlock,
  { subset, ref }: LetterFont,
): Drawing {
  const barcode = deliveryPoint ? makePostalBarcode(deliveryPoint) : undefined
  const { lines, barcode: place } = layOutAddress(
    {
      handling: handling.map(({ text }) => text),
      address: address.map(({ text }) => text),
    },
    (text) => widthInEm(subset, text),
    barcode,
  )
  const { left, top } = addressWindow
  const text = lines.map((line) =>
    drawText(
      { ...line, x: left + line.x, y: a4.height - top - line.y },
      { name: 'Address', subset },
    ),
  )
  const bars =
    barcode && place
      ? drawPostalBarcode(barcode, {
          x: left + place.x,
          y: a4.height - top - place.y - barcode.height,
        })
      : undefined
  const operators = [`BT\n0 g\n${text.join('\n')}\nET`, ...(bars ? [bars] : [])].join('\n')
  return { operators, fonts: { Address: ref } }
}

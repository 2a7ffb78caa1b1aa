import type { PDFDocument, PDFPage } from 'pdf-lib'
import { a4 } from './a4.ts'
import { drawAddressBlock, type PrintableBlock } from './draw-address-block.ts'
import type { LetterFont } from './embed-font.ts'
import { drawOnPage } from './marks/draw-on-page.ts'

/** Adds an A4 page that contains only the address block, in the envelope's window. */
export function addAddressPage(
  document: PDFDocument,
  block: PrintableBlock,
  { subset, ref }: LetterFont,
): void {
  const { context } = document
  const page = document.addPage([a4.width, a4.height])
  page.node.set(context.obj('Resources'), context.obj({ Font: { Address: ref } }))
  page.node.set(
    context.obj('Contents'),
    context.register(context.stream(drawAddressBlock(block, subset))),
  )
}

/**
 * Prints the address block in the window of an existing page, whatever its rotation or crop box. The caller must ensure
 * that the window is clear: nothing is painted over. Returns false and leaves the page unchanged if its content cannot
 * be decoded.
 */
export function drawAddressOnPage(
  page: PDFPage,
  block: PrintableBlock,
  { subset, ref }: LetterFont,
): boolean {
  return drawOnPage(page, {
    operators: drawAddressBlock(block, subset),
    fonts: { Address: ref },
  })
}

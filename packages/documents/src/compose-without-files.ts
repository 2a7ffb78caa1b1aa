import { drawAddressBlock, type PrintableBlock } from './draw-address-block.ts'
import type { FontSubset } from './font-subset.ts'
import { drawInsertionMark, insertionMarkCharacters } from './marks/draw-insertion-mark.ts'
import { type OnePage, writeOnePagePdf } from './one-page-pdf.ts'

/** What Despatch prints on a letter: the address block and, if there is a `documentId`, insertion marks. */
type Print = { block: PrintableBlock; documentId?: string | undefined }

/** Returns what is printed on a letter with or without marks. The postal barcode is a mark too. */
export function choosePrint(
  block: PrintableBlock,
  { marks, documentId }: { marks: boolean; documentId?: string | undefined },
): Print {
  const { handling, address } = block
  return marks ? { block, documentId } : { block: { handling, address } }
}

/** Returns the texts that the typeface must print. */
export function textsOf({ block, documentId }: Print): string[] {
  const lines = [...block.handling, ...block.address].map(({ text }) => text)
  return documentId ? [...lines, documentId, insertionMarkCharacters] : lines
}

/** Composes a letter without files: one page, with the address in the envelope's window and the marks. */
export function composeWithoutFiles(
  { block, documentId, ...description }: Print & Omit<OnePage, 'operators'>,
  subset: FontSubset,
): ReturnType<typeof writeOnePagePdf> {
  const address = drawAddressBlock(block, subset)
  const mark = documentId
    ? drawInsertionMark({ documentId, sheet: 1, sheets: 1 }, subset)
    : undefined
  const operators = mark ? `${address}\n${mark}` : address
  return writeOnePagePdf({ operators, ...description }, subset)
}

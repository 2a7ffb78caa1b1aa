import type { PDFDocument, PDFPage } from 'pdf-lib'
import { openPdf } from '../open-pdf.ts'

/** Returns the pages of a PDF as pdf-lib finds them, or undefined if it cannot read them. */
export async function readSourcePages(
  pdf: Uint8Array,
  document?: PDFDocument | undefined,
): Promise<readonly PDFPage[] | undefined> {
  const source = document ?? (await openDocument(pdf))
  try {
    return source?.getPages()
  } catch {
    return undefined
  }
}

async function openDocument(pdf: Uint8Array): Promise<PDFDocument | undefined> {
  const opened = await openPdf(pdf)
  return opened.kind === 'open' ? opened.document : undefined
}

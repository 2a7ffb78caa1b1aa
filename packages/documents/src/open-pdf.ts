import { EncryptedPDFError, ParseSpeeds, PDFDocument } from 'pdf-lib'

export type OpenedPdf =
  | { kind: 'open'; document: PDFDocument; pages: number }
  | { kind: 'unsound'; reason: string }

/** Opens a PDF that is whole, not encrypted, and has at least one page. Never throws. */
export async function openPdf(bytes: Uint8Array): Promise<OpenedPdf> {
  try {
    const document = await PDFDocument.load(bytes, {
      throwOnInvalidObject: true,
      updateMetadata: false,
      parseSpeed: ParseSpeeds.Fastest,
    })
    const pages = document.getPages().length
    return pages > 0
      ? { kind: 'open', document, pages }
      : { kind: 'unsound', reason: 'The PDF has no pages.' }
  } catch (error) {
    return error instanceof EncryptedPDFError
      ? { kind: 'unsound', reason: 'The PDF is encrypted.' }
      : { kind: 'unsound', reason: 'The PDF is damaged and cannot be read.' }
  }
}

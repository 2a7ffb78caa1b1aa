import { EncryptedPDFError, ParseSpeeds, PDFDocument } from 'pdf-lib'

export type OpenedPdf =
  | { kind: 'open'; document: PDFDocument; pages: number }
  | { kind: 'unsound'; reason: string }

/** Readers look for the end mark in this many bytes at the end. */
const endMarkBytesMax = 1024

/**
 * Opens a PDF that is whole, not encrypted, and has at least one page. Never throws. The end mark is
 * looked for because pdf-lib repairs a PDF that was cut short by leaving out pages.
 */
export async function openPdf(bytes: Uint8Array): Promise<OpenedPdf> {
  if (!hasEndMark(bytes)) return { kind: 'unsound', reason: 'The PDF is not complete.' }
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
    return isEncrypted(bytes, error)
      ? { kind: 'unsound', reason: 'The PDF is encrypted.' }
      : { kind: 'unsound', reason: 'The PDF is damaged and cannot be read.' }
  }
}

function hasEndMark(bytes: Uint8Array): boolean {
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1
  return asBuffer(bytes.subarray(Math.max(0, end - endMarkBytesMax), end)).includes('%%EOF')
}

/** Encrypted object streams fail as damage before pdf-lib comes to say that the PDF is encrypted. */
function isEncrypted(bytes: Uint8Array, error: unknown): boolean {
  return error instanceof EncryptedPDFError || asBuffer(bytes).includes('/Encrypt')
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

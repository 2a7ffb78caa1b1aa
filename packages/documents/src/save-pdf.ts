import type { PDFDocument } from 'pdf-lib'

/** Returns the bytes of a document, with its objects as they are and nothing added. Equal documents give equal bytes. */
export function savePdf(document: PDFDocument): Promise<Uint8Array> {
  return document.save({
    useObjectStreams: false,
    addDefaultPage: false,
    updateFieldAppearances: false,
    objectsPerTick: Number.POSITIVE_INFINITY,
  })
}

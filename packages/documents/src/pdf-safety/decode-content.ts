import { inflateSync } from 'node:zlib'
import { decodePDFRawStream, PDFName, type PDFRawStream } from 'pdf-lib'
import { flateWindow } from './flate.ts'

const keys = { Filter: PDFName.of('Filter'), DecodeParms: PDFName.of('DecodeParms') }
const flate = PDFName.of('FlateDecode')
const nothing = new Uint8Array(0)

/**
 * Returns the decoded bytes of a stream whose decoded size was measured. Returns nothing if it cannot be decoded, as
 * for an image.
 */
export function decodeContent(stream: PDFRawStream): Uint8Array {
  const { dict, contents } = stream
  const filter = dict.lookup(keys.Filter)
  try {
    if (!filter) return contents
    if (filter === flate && !dict.has(keys.DecodeParms)) {
      return inflateSync(contents, flateWindow)
    }
  } catch {
    // only the checksum or the final block may be left out, which the other decoder ignores
  }
  try {
    return decodePDFRawStream(stream).decode()
  } catch {
    return nothing
  }
}

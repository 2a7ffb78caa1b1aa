import { inflateSync } from 'node:zlib'
import { PDFDict, PDFDocument, PDFName, PDFRawStream } from 'pdf-lib'

export type ReadLine = { text: string; size: number; x: number; y: number; narrowed: number }

/** Returns the lines of a letter's address page as a reader finds them, through the font's own tables. */
export async function readAddressPage(pdf: Uint8Array): Promise<ReadLine[]> {
  const page = (await PDFDocument.load(pdf, { updateMetadata: false })).getPage(0).node
  const characters = readUnicodeMap(page)
  const content = Buffer.from(stream(page.lookup(PDFName.of('Contents')))).toString('latin1')

  const line = /\/Address ([\d.]+) Tf ([\d.]+) Tz 1 0 0 1 ([\d.]+) ([\d.]+) Tm <([0-9a-f]*)> Tj/g
  return [...content.matchAll(line)].map(([, size, narrowed, x, y, codes]) => ({
    text: codes!.replaceAll(/.{4}/g, (code) => characters.get(code)!),
    size: Number(size),
    x: Number(x),
    y: Number(y),
    narrowed: Number(narrowed),
  }))
}

function readUnicodeMap(page: PDFDict): Map<string, string> {
  const map = inflateSync(stream(fontOf(page).lookup(PDFName.of('ToUnicode')))).toString('latin1')
  return new Map(
    [...map.matchAll(/^<([0-9a-f]{4})> <([0-9a-f]+)>$/gm)]
      .filter(([, code]) => code !== '0000')
      .map(([, code, character]) => [
        code!,
        Buffer.from(character!, 'hex').swap16().toString('utf16le'),
      ]),
  )
}

function fontOf(page: PDFDict): PDFDict {
  return page
    .lookup(PDFName.of('Resources'), PDFDict)
    .lookup(PDFName.of('Font'), PDFDict)
    .lookup(PDFName.of('Address'), PDFDict)
}

function stream(object: unknown): Uint8Array {
  if (!(object instanceof PDFRawStream)) throw new Error('not a stream')
  return object.getContents()
}

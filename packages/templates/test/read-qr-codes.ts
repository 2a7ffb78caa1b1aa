import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { PDFiumLibrary } from '@hyzyla/pdfium'
import * as reader from 'zxing-wasm/reader'
import * as writer from 'zxing-wasm/writer'

const wasmOf = (name: string) => {
  const path = createRequire(import.meta.url).resolve(`zxing-wasm/${name}`)
  return { overrides: { wasmBinary: new Uint8Array(readFileSync(path)).buffer } }
}
reader.prepareZXingModule(wasmOf('reader/zxing_reader.wasm'))
writer.prepareZXingModule(wasmOf('writer/zxing_writer.wasm'))

const pixelsPerInch = 200
let library: Promise<PDFiumLibrary> | undefined

/** `unusedCorrection` is 1 if no module had to be corrected. The modules are 0 (dark) or 255, by row. */
export type QrCode = {
  text: string
  version: number
  level: string
  unusedCorrection: number
  modules: Buffer
}

/** Returns the QR codes on each page of a PDF, as printed, in no certain order. */
export async function readQrCodes(pdf: Uint8Array): Promise<QrCode[]> {
  library ??= PDFiumLibrary.init()
  const document = await (await library).loadDocument(pdf)
  const codes: QrCode[] = []
  try {
    for (const page of document.pages()) {
      const { data, ...size } = await page.render({
        scale: pixelsPerInch / 72,
        render: 'bitmap',
      })
      const picture = { ...size, data: new Uint8ClampedArray(data) }
      const found = await reader.readBarcodes(
        picture as unknown as Parameters<typeof reader.readBarcodes>[0],
        { formats: ['QRCode'], tryInvert: false },
      )
      codes.push(...found.filter(({ isValid }) => isValid).map(codeOf))
    }
  } finally {
    document.destroy()
  }
  return codes
}

/** Returns the modules that another encoder makes of a text. */
export async function otherEncoding(text: string, level: string): Promise<Buffer> {
  const { error, symbol } = await writer.writeBarcode(text, {
    format: 'QRCode',
    options: `ecLevel=${level}`,
  })
  if (error) throw new Error(error)
  return Buffer.from(symbol.data)
}

function codeOf({ text, extra, symbol }: reader.ReadResult): QrCode {
  const { Version, ECLevel, UEC } = JSON.parse(extra)
  return {
    text,
    version: Number(Version),
    level: ECLevel,
    unusedCorrection: UEC,
    modules: Buffer.from(symbol.data),
  }
}

import {
  PDFArray,
  PDFBool,
  PDFDict,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
} from 'pdf-lib'
import { type Filter, measureDecoded } from './decoded-size.ts'
import type { PdfLimits } from './pdf-limits.ts'
import { damaged, tooComplex, type UnsafePdf } from './unsafe-pdf.ts'

const keys = {
  Filter: PDFName.of('Filter'),
  DecodeParms: PDFName.of('DecodeParms'),
  EarlyChange: PDFName.of('EarlyChange'),
  Width: PDFName.of('Width'),
  Height: PDFName.of('Height'),
}

/** Decodes every stream to measure its size, so that no later reader decodes one without limit. Throws UnsafePdf. */
export async function checkStreams(objects: Iterable<PDFObject>, limits: PdfLimits): Promise<void> {
  let bytes = 0
  for (const object of objects) {
    if (!(object instanceof PDFRawStream)) continue
    checkPixels(object.dict, limits)
    const left = limits.streamsBytesMax - bytes
    const bytesMax = Math.min(limits.streamBytesMax, left)
    bytes += await measureDecoded({
      contents: object.contents,
      filters: filtersOf(object.dict, limits),
      bytesMax,
      tooLarge: () => tooLarge(left, limits),
    })
    if (bytes > limits.streamsBytesMax) throw tooLarge(0, limits)
  }
}

function checkPixels(dictionary: PDFDict, { imagePixelsMax }: PdfLimits): void {
  const width = dictionary.lookup(keys.Width)
  const height = dictionary.lookup(keys.Height)
  if (!(width instanceof PDFNumber && height instanceof PDFNumber)) return
  const pixels = width.asNumber() * height.asNumber()
  if (pixels > imagePixelsMax) {
    throw tooComplex(`an image of more than ${imagePixelsMax} pixels`, {
      unit: 'pixels',
      value: pixels,
      max: imagePixelsMax,
    })
  }
}

function filtersOf(dictionary: PDFDict, { filtersMax }: PdfLimits): Filter[] {
  const filters = listOf(dictionary, keys.Filter)
  const parameters = listOf(dictionary, keys.DecodeParms)
  if (filters.length > filtersMax) {
    throw tooComplex(`a part that is compressed more than ${filtersMax} times`)
  }
  return filters.map((filter, index) => {
    if (!(filter instanceof PDFName)) throw damaged()
    return { name: filter.decodeText(), earlyChange: isEarly(parameters[index]) }
  })
}

function listOf(dictionary: PDFDict, key: PDFName): (PDFObject | undefined)[] {
  const value = dictionary.lookup(key)
  if (value instanceof PDFArray) {
    return value.asArray().map((each) => dictionary.context.lookup(each))
  }
  return value ? [value] : []
}

function isEarly(parameters: PDFObject | undefined): boolean {
  if (!(parameters instanceof PDFDict)) return true
  const early = parameters.lookup(keys.EarlyChange)
  if (early instanceof PDFBool) return early.asBoolean()
  return !(early instanceof PDFNumber) || early.asNumber() !== 0
}

function tooLarge(left: number, { streamBytesMax, streamsBytesMax }: PdfLimits): UnsafePdf {
  const [what, max] =
    left < streamBytesMax
      ? ['parts that decode to', streamsBytesMax]
      : ['a part that decodes to', streamBytesMax]
  return tooComplex(`${what} more than ${max / 1024 / 1024} MiB`)
}

import { type PDFContext, PDFDict, PDFObjectParser, PDFRawStream, PDFRef } from 'pdf-lib'
import { fontObjects } from './font-objects.ts'
import { type FontSubset, subsetFor } from './font-subset.ts'

/** A subset of the typeface in a document, and its reference. */
export type LetterFont = { subset: FontSubset; ref: PDFRef }

/** Adds to a document the subset of the typeface that prints the texts. */
export function addLetterFont(context: PDFContext, texts: readonly string[]): LetterFont {
  const subset = subsetFor(texts)
  return { subset, ref: embedFont(context, subset) }
}

/** Adds a subset of the typeface to a document. */
export function embedFont(context: PDFContext, subset: FontSubset): PDFRef {
  const next = () => context.nextRef().objectNumber
  const numbers = {
    program: next(),
    descriptor: next(),
    cidFont: next(),
    unicodeMap: next(),
    font: next(),
  }
  for (const { number, dictionary, stream } of fontObjects(subset, numbers)) {
    const parsed = PDFObjectParser.forBytes(Buffer.from(dictionary), context).parseObject()
    if (!(parsed instanceof PDFDict)) throw new Error('An object of a font is a dictionary')
    context.assign(PDFRef.of(number), stream ? PDFRawStream.of(parsed, stream) : parsed)
  }
  return PDFRef.of(numbers.font)
}

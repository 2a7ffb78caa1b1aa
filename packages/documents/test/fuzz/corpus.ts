import { decodePDFRawStream, PDFDocument, PDFName, PDFRawStream } from 'pdf-lib'
import { detectMediaType, type MediaType } from '../../src/file-signature.ts'
import { harmlessPdfs } from '../harmless-pdfs.ts'
import { composedPdf } from '../letters.ts'
import { acceptedFixtures } from '../preflight-fixtures.ts'
import { aBmp, aPdf, aPicture, aTiff } from '../sample-files.ts'
import { unsafePdfs } from '../unsafe-pdfs.ts'

export type Sample = { name: string; mediaType: MediaType; bytes: Uint8Array }

/** The project's own fixtures, which the fuzzer mutates. */
export type Corpus = {
  sound: readonly Sample[]
  unsafe: readonly Sample[]
  images: readonly Sample[]
}

export async function readCorpus(): Promise<Corpus> {
  const harmless = Object.entries(await harmlessPdfs()).map(([name, bytes]) => pdf(name, bytes))
  const drawn = await Promise.all(
    acceptedFixtures.map(async (fixture) => pdf(fixture.name, await fixture.pdf())),
  )
  const letter = pdf('a letter of ours', await composedPdf())
  const written = [
    ...drawn,
    letter,
    pdf('pages of two sizes', await aPdf([595.28, 841.89], [100, 100])),
  ]
  const expanded = await Promise.all(written.map(expand))
  const unsafe = Object.entries(await unsafePdfs()).map(([name, fixture]) => pdf(name, fixture.pdf))
  return {
    sound: [...harmless, ...written, ...expanded],
    unsafe: unsafe.filter(({ bytes }) => bytes.length > 0),
    images: await readImages(),
  }
}

function pdf(name: string, bytes: Uint8Array): Sample {
  return { name, mediaType: 'application/pdf', bytes }
}

/** Returns the same PDF without compression, so that a mutation changes content instead of breaking the decoding. */
async function expand({ name, bytes }: Sample): Promise<Sample> {
  const document = await PDFDocument.load(bytes, { updateMetadata: false })
  for (const [reference, object] of document.context.enumerateIndirectObjects()) {
    if (
      !(object instanceof PDFRawStream) ||
      object.dict.get(PDFName.of('Type')) === PDFName.of('XRef')
    )
      continue
    const filter = object.dict.lookup(PDFName.of('Filter'))
    if (filter !== PDFName.of('FlateDecode') || object.dict.has(PDFName.of('DecodeParms'))) continue
    const dictionary = object.dict.clone(document.context)
    dictionary.delete(PDFName.of('Filter'))
    document.context.assign(
      reference,
      PDFRawStream.of(dictionary, decodePDFRawStream(object).decode()),
    )
  }
  return pdf(`${name}, expanded`, await document.save({ useObjectStreams: false }))
}

async function readImages(): Promise<Sample[]> {
  const drawn = {
    GIF: aPicture().gif(),
    PNG: aPicture().png(),
    'interlaced PNG': aPicture().png({ progressive: true }),
    'PNG with a palette': aPicture().png({ palette: true }),
    JPEG: aPicture().jpeg(),
    'progressive JPEG': aPicture().jpeg({ progressive: true }),
    'CMYK JPEG': aPicture().toColourspace('cmyk').jpeg(),
    'TIFF in LZW': aPicture().tiff({ compression: 'lzw' }),
    BigTIFF: aPicture().tiff({ bigtiff: true }),
  }
  const images = await Promise.all(
    Object.entries(drawn).map(async ([name, image]) => [name, await image.toBuffer()] as const),
  )
  const others = { TIFF: aTiff(3), BMP: await aBmp(), 'BMP of 32 bits': await aBmp(32) }
  return [...images, ...Object.entries(others)].map(([name, bytes]) => ({
    name,
    mediaType: detectMediaType(bytes)!,
    bytes,
  }))
}

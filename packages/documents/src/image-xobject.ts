import type { PDFContext, PDFRef } from 'pdf-lib'
import type { Metadata, Sharp } from 'sharp'
import { jpegColourModel } from './jpeg-colour-model.ts'
import { type ImageMediaType, openImage } from './open-image.ts'

/** A picture that is part of a document, with its size in pixels. */
export type EmbeddedImage = { image: PDFRef; width: number; height: number }

/** Pixels of the printed area of A4 at 300 to the inch; finer detail is lost on paper. */
const printedWidthMax = 2126
const printedHeightMax = 3154

/**
 * Registers the frames of an image in a document. A JPEG that every printer can decode is taken over
 * byte by byte; every other picture is turned upright, set on white and stored without loss.
 * Throws when the image is damaged.
 */
export async function embedImage(
  context: PDFContext,
  { bytes, mediaType }: { bytes: Uint8Array; mediaType: ImageMediaType },
): Promise<readonly EmbeddedImage[]> {
  const { metadata, frames } = await openImage(bytes, mediaType)
  const isUpright = (metadata.orientation ?? 1) === 1
  const colourModel = mediaType === 'image/jpeg' ? jpegColourModel(bytes) : undefined
  if (colourModel && isUpright) {
    const { width, height } = metadata
    return [embedJpeg(context, { bytes, width, height, colourModel })]
  }

  const embedded: EmbeddedImage[] = []
  for (const frame of frames) {
    embedded.push(
      mediaType === 'image/jpeg'
        ? await embedAsJpeg(context, frame)
        : await embedAsPng(context, frame, isGrey(metadata) ? 'b-w' : 'srgb'),
    )
  }
  return embedded
}

/** A photograph that was turned: stored as a JPEG again, since without loss it would be ten times larger. */
async function embedAsJpeg(context: PDFContext, frame: Sharp): Promise<EmbeddedImage> {
  const { data, info } = await forPrint(frame)
    .toColourspace('srgb')
    .jpeg({ quality: 92, chromaSubsampling: '4:4:4' })
    .toBuffer({ resolveWithObject: true })
  const { width, height } = info
  return embedJpeg(context, { bytes: data, width, height, colourModel: 'DeviceRGB' })
}

function embedJpeg(
  context: PDFContext,
  {
    bytes,
    width,
    height,
    colourModel,
  }: { bytes: Uint8Array; width: number; height: number; colourModel: string },
): EmbeddedImage {
  const image = context.stream(bytes, {
    Type: 'XObject',
    Subtype: 'Image',
    Width: width,
    Height: height,
    ColorSpace: colourModel,
    BitsPerComponent: 8,
    Filter: 'DCTDecode',
  })
  return { image: context.register(image), width, height }
}

/** PNG's compressed rows are, byte for byte, what a PDF calls FlateDecode with predictor 15. */
async function embedAsPng(
  context: PDFContext,
  frame: Sharp,
  colourspace: 'b-w' | 'srgb',
): Promise<EmbeddedImage> {
  const png = await forPrint(frame)
    .toColourspace(colourspace)
    .png({ compressionLevel: 6, adaptiveFiltering: true, palette: false })
    .toBuffer()
  const header = new DataView(png.buffer, png.byteOffset, png.byteLength)
  const width = header.getUint32(16)
  const height = header.getUint32(20)
  const bitsPerComponent = header.getUint8(24)
  const colours = header.getUint8(25) === 0 ? 1 : 3

  const image = context.stream(pngRows(png), {
    Type: 'XObject',
    Subtype: 'Image',
    Width: width,
    Height: height,
    ColorSpace: colours === 1 ? 'DeviceGray' : 'DeviceRGB',
    BitsPerComponent: bitsPerComponent,
    Filter: 'FlateDecode',
    DecodeParms: {
      Predictor: 15,
      Colors: colours,
      BitsPerComponent: bitsPerComponent,
      Columns: width,
    },
  })
  return { image: context.register(image), width, height }
}

function isGrey({ space }: Metadata): boolean {
  return space === 'b-w' || space === 'grey16'
}

function forPrint(frame: Sharp): Sharp {
  return frame
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .resize(printedWidthMax, printedHeightMax, { fit: 'inside', withoutEnlargement: true })
}

function pngRows(png: Buffer): Uint8Array {
  const rows: Uint8Array[] = []
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const type = png.toString('latin1', at + 4, at + 8)
    if (type === 'IDAT') rows.push(png.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  return Buffer.concat(rows)
}

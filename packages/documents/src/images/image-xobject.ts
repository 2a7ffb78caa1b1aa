import type { PDFContext, PDFRef } from 'pdf-lib'
import type { Sharp } from 'sharp'
import { jpegColourModel } from './jpeg-colour-model.ts'
import { type ImageFrame, type ImageMediaType, openImage } from './open-image.ts'

/** An image in a document, with its real size in points. */
export type EmbeddedImage = { image: PDFRef; width: number; height: number }

/** Pixels of the printed area of A4 at 300 per inch. Paper cannot show finer detail. */
const printedWidthMax = 2126
const printedHeightMax = 3390

/** Assumed if a picture states no resolution, so that a small picture stays small. */
const pixelsPerInchUnstated = 72

/**
 * Registers the frames of an image in a document. A JPEG that every printer can decode is copied byte by byte. Any
 * other image is rotated upright, set on white and stored losslessly in sRGB or grey. Throws an ImageFault, or the
 * error of libvips if the image is damaged.
 */
export async function embedImage(
  context: PDFContext,
  { bytes, mediaType }: { bytes: Uint8Array; mediaType: ImageMediaType },
): Promise<readonly EmbeddedImage[]> {
  const embedded: EmbeddedImage[] = []
  for (const frame of await openImage(bytes, mediaType)) {
    const image =
      mediaType === 'image/jpeg'
        ? await embedPhotograph(context, frame, bytes)
        : await embedAsPng(context, frame)
    embedded.push({ image, ...realSize(frame) })
  }
  return embedded
}

/** In points, after rotation to upright. */
function realSize({ width, height, orientation, resolution }: ImageFrame) {
  const across = (width * 72) / (resolution?.across ?? pixelsPerInchUnstated)
  const down = (height * 72) / (resolution?.down ?? pixelsPerInchUnstated)
  return orientation >= 5 ? { width: down, height: across } : { width: across, height: down }
}

function embedPhotograph(
  context: PDFContext,
  frame: ImageFrame,
  bytes: Uint8Array,
): Promise<PDFRef> | PDFRef {
  const { width, height, orientation } = frame
  const colourModel = jpegColourModel(bytes)
  return colourModel && orientation === 1 && !hasOtherColours(frame)
    ? embedJpeg(context, { bytes, width, height, colourModel })
    : embedAsJpeg(context, frame)
}

/** Returns true if the file has a colour profile other than sRGB. A page without a profile is read as sRGB. */
function hasOtherColours({ icc }: ImageFrame): boolean {
  return icc !== undefined && !icc.includes('sRGB') && !icc.includes(utf16('sRGB'))
}

function utf16(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16()
}

/** A photograph that had to be changed is stored as a JPEG again: losslessly it would be ten times larger. */
async function embedAsJpeg(context: PDFContext, { picture }: ImageFrame): Promise<PDFRef> {
  const { data, info } = await forPrint(picture())
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
): PDFRef {
  const image = context.stream(bytes, {
    Type: 'XObject',
    Subtype: 'Image',
    Width: width,
    Height: height,
    ColorSpace: colourModel,
    BitsPerComponent: 8,
    Filter: 'DCTDecode',
  })
  return context.register(image)
}

/** PNG's compressed rows are byte for byte what a PDF calls FlateDecode with predictor 15. */
async function embedAsPng(context: PDFContext, { picture, isGrey }: ImageFrame): Promise<PDFRef> {
  const png = await forPrint(picture())
    .toColourspace(isGrey ? 'b-w' : 'srgb')
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
  return context.register(image)
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

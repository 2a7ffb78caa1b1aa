import { decodePDFRawStream, PDFDocument, PDFRawStream, PDFStream } from 'pdf-lib'
import sharp from 'sharp'
import type { DocumentFile } from '../../src/document-request.ts'
import { type ImageMediaType, openImage } from '../../src/images/open-image.ts'
import type { PagePicture } from '../page-picture.ts'

/**
 * Returns the pages that a letter of one image must have: each frame, upright and on white, where the composed page
 * says that it is.
 */
export async function picturesAsPages(
  { bytes, mediaType }: DocumentFile,
  composed: Uint8Array,
  dotsPerInch: number,
): Promise<readonly PagePicture[]> {
  const pages = (await PDFDocument.load(composed)).getPages().slice(1)
  const frames = await openImage(bytes, mediaType as ImageMediaType)
  return Promise.all(
    frames.map(async ({ picture }, index) => {
      const page = pages[index]!
      const inPixels = (points: number) => Math.round((points * dotsPerInch) / 72)
      const [width, height] = [inPixels(page.getWidth()), inPixels(page.getHeight())]
      const place = placeOf(page.node.Contents())
      const upright = await picture()
        .autoOrient()
        .flatten({ background: 'white' })
        .resize(inPixels(place.width), inPixels(place.height), { fit: 'fill' })
        .png()
        .toBuffer()
      const { data, info } = await sharp({
        create: { width, height, channels: 3, background: 'white' },
      })
        .composite([
          {
            input: upright,
            left: inPixels(place.left),
            top: height - inPixels(place.bottom) - inPixels(place.height),
          },
        ])
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true })
      return { width: info.width, height: info.height, grey: toGrey(data) }
    }),
  )
}

function placeOf(contents: unknown) {
  if (!(contents instanceof PDFStream)) throw new Error('the page of an image has one stream')
  const bytes =
    contents instanceof PDFRawStream
      ? decodePDFRawStream(contents).decode()
      : contents.getContents()
  const matrix = /q (.*) cm \/Picture Do Q/.exec(Buffer.from(bytes).toString('latin1'))
  if (!matrix) throw new Error('the page of an image says where the picture is')
  const [width, , , height, left, bottom] = matrix[1]!.split(' ').map(Number)
  return { width: width!, height: height!, left: left!, bottom: bottom! }
}

function toGrey(data: Buffer): Uint8Array {
  return Uint8Array.from({ length: data.length / 3 }, (_, index) => {
    const [red, green, blue] = data.subarray(index * 3, index * 3 + 3)
    return Math.round(0.299 * red! + 0.587 * green! + 0.114 * blue!)
  })
}

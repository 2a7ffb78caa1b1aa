import type { PDFDocument } from 'pdf-lib'
import { a4, points } from './a4.ts'
import { type EmbeddedImage, embedImage } from './image-xobject.ts'
import type { ImageMediaType } from './open-image.ts'

const margin = points(15)
/** A pixel is never larger than this, so that a small picture stays small. In points. */
const pixelSizeMax = 1

/** Adds an A4 page for each frame of an image, within margins. Throws when the image is damaged. */
export async function addImagePages(
  document: PDFDocument,
  image: { bytes: Uint8Array; mediaType: ImageMediaType },
): Promise<void> {
  for (const embedded of await embedImage(document.context, image)) addImagePage(document, embedded)
}

function addImagePage(document: PDFDocument, { image, width, height }: EmbeddedImage): void {
  const scale = Math.min(
    pixelSizeMax,
    (a4.width - 2 * margin) / width,
    (a4.height - 2 * margin) / height,
  )
  const left = (a4.width - width * scale) / 2
  const bottom = a4.height - margin - height * scale
  const matrix = [width * scale, 0, 0, height * scale, left, bottom].map(rounded).join(' ')

  const { context } = document
  const page = document.addPage([a4.width, a4.height])
  page.node.set(context.obj('Resources'), context.obj({ XObject: { Picture: image } }))
  page.node.set(
    context.obj('Contents'),
    context.register(context.stream(`q ${matrix} cm /Picture Do Q`)),
  )
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}

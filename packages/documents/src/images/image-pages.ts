import type { Finding, Rectangle } from '@despatch/domain/preflight/finding'
import { ruleSets } from '@despatch/domain/preflight/rule-set'
import type { PDFDocument } from 'pdf-lib'
import { a4, points } from '../a4.ts'
import { rounded } from '../draw-text.ts'
import { findImageFault } from './image-fault.ts'
import { type EmbeddedImage, embedImage } from './image-xobject.ts'
import type { ImageMediaType } from './open-image.ts'

/** In millimetres. Within the printable area of every rule set and outside its reserved strips. */
const area: Rectangle = ruleSets['window-letter-2026-11'].otherPageAreas[0]
/** Margin above a picture that leaves room for it, in millimetres. */
const topMargin = 15

/**
 * Adds an A4 page for each frame of an image. A frame has its real size if the file states a resolution and it fits the
 * printable area. Otherwise it is scaled down to fit, and never enlarged. Returns one finding if the image cannot be
 * printed; pages may have been added by then. Throws errors that the image did not cause.
 */
export async function addImagePages(
  document: PDFDocument,
  image: { bytes: Uint8Array; mediaType: ImageMediaType },
): Promise<Finding[]> {
  const fault = await findImageFault(async () => {
    for (const embedded of await embedImage(document.context, image)) {
      addImagePage(document, embedded)
    }
  })
  return fault ? [fault] : []
}

function addImagePage(document: PDFDocument, { image, width, height }: EmbeddedImage): void {
  const { context } = document
  const page = document.addPage([a4.width, a4.height])
  page.node.set(context.obj('Resources'), context.obj({ XObject: { Picture: image } }))
  const matrix = placePicture({ width, height }).map(rounded).join(' ')
  page.node.set(
    context.obj('Contents'),
    context.register(context.stream(`q ${matrix} cm /Picture Do Q`)),
  )
}

/**
 * Returns the matrix that places a picture of a real size in points: horizontally centred, near the top of the page.
 */
function placePicture(real: { width: number; height: number }): readonly number[] {
  const [areaWidth, areaHeight] = [points(area.width), points(area.height)]
  const scale = Math.min(1, areaWidth / real.width, areaHeight / real.height)
  const [width, height] = [real.width * scale, real.height * scale]

  const left = points(area.x) + (areaWidth - width) / 2
  const room = areaHeight - height
  const top = points(area.y) + Math.min(room, points(topMargin - area.y))
  return [width, 0, 0, height, left, a4.height - top - height]
}

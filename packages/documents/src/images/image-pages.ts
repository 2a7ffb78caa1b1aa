import type { Finding, Rectangle } from '@despatch/domain/preflight/finding'
import { ruleSets } from '@despatch/domain/preflight/rule-set'
import type { PDFDocument } from 'pdf-lib'
import { a4, points } from '../a4.ts'
import { rounded } from '../draw-text.ts'
import { findImageFault } from './image-fault.ts'
import { type EmbeddedImage, embedImage } from './image-xobject.ts'
import type { ImageMediaType } from './open-image.ts'

/** Within the printable area of every rule set and clear of its reserved strips. In millimetres. */
const area: Rectangle = ruleSets['window-letter-2026-11'].otherPageAreas[0]
/** Above a picture that leaves room for it. In millimetres. */
const topMargin = 15

/**
 * Adds an A4 page for each frame of an image: at its real size where the file states a resolution and
 * it fits the printable area, otherwise as large as it fits, never larger than its real size. Answers
 * with what is wrong with the image; pages may then have been added. Throws what is our fault.
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

/** The matrix of a picture of a real size in points: in the middle of the page's width, near its top. */
function placePicture(real: { width: number; height: number }): readonly number[] {
  const [areaWidth, areaHeight] = [points(area.width), points(area.height)]
  const scale = Math.min(1, areaWidth / real.width, areaHeight / real.height)
  const [width, height] = [real.width * scale, real.height * scale]

  const left = points(area.x) + (areaWidth - width) / 2
  const room = areaHeight - height
  const top = points(area.y) + Math.min(room, points(topMargin - area.y))
  return [width, 0, 0, height, left, a4.height - top - height]
}

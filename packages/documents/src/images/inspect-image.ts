import type { Finding } from '@despatch/domain/preflight/finding'
import { findImageFault } from './image-fault.ts'
import { type ImageMediaType, openImage } from './open-image.ts'

/**
 * What forbids printing an image: it does not decode to its last pixel without a warning
 * (`image-damaged`), or its header says more than the limits allow (`image-too-large`), in which case
 * nothing is decoded. Throws what is our fault: memory, a decoder that is missing.
 */
export async function inspectImage(
  bytes: Uint8Array,
  mediaType: ImageMediaType,
): Promise<Finding[]> {
  const fault = await findImageFault(async () => {
    for (const { picture } of await openImage(bytes, mediaType)) {
      // Averaging all pixels into one decodes the whole frame without holding it in memory
      await picture()
        .resize(1, 1, { fit: 'fill', kernel: 'linear', fastShrinkOnLoad: false })
        .raw()
        .toBuffer()
    }
  })
  return fault ? [fault] : []
}

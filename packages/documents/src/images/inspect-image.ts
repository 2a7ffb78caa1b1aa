import type { Finding } from '@despatch/domain/preflight/finding'
import { findImageFault } from './image-fault.ts'
import { type ImageMediaType, openImage } from './open-image.ts'

/**
 * Returns one finding if the image must not be printed, otherwise none. `image-damaged`: it does not decode to its last
 * pixel without a warning. `image-too-large`: its header exceeds the limits, and nothing is decoded. Throws errors that
 * the image did not cause, such as too little memory or a missing decoder.
 */
export async function inspectImage(
  bytes: Uint8Array,
  mediaType: ImageMediaType,
): Promise<Finding[]> {
  const fault = await findImageFault(async () => {
    for (const { picture } of await openImage(bytes, mediaType)) {
      // Averaging all pixels into one decodes the whole frame without keeping it in memory.
      await picture()
        .resize(1, 1, { fit: 'fill', kernel: 'linear', fastShrinkOnLoad: false })
        .raw()
        .toBuffer()
    }
  })
  return fault ? [fault] : []
}

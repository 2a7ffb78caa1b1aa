import type { MediaType } from './file-signature.ts'
import { type ImageMediaType, openImage } from './open-image.ts'
import { openPdf } from './open-pdf.ts'

export type Inspection = { kind: 'sound'; pages: number } | { kind: 'unsound'; reason: string }

/**
 * Whether a file can be printed, and on how many pages. A PDF opens, is not encrypted and has a page;
 * an image decodes to its last pixel without a warning. The reason is a sentence for a person and
 * tells nothing of the content. Never throws.
 */
export async function inspectFile({
  bytes,
  mediaType,
}: {
  bytes: Uint8Array
  mediaType: MediaType
}): Promise<Inspection> {
  return mediaType === 'application/pdf' ? inspectPdf(bytes) : inspectImage(bytes, mediaType)
}

async function inspectPdf(bytes: Uint8Array): Promise<Inspection> {
  const opened = await openPdf(bytes)
  return opened.kind === 'open' ? { kind: 'sound', pages: opened.pages } : opened
}

async function inspectImage(bytes: Uint8Array, mediaType: ImageMediaType): Promise<Inspection> {
  try {
    const { frames } = await openImage(bytes, mediaType)
    for (const frame of frames) {
      // Averaging all pixels into one decodes the whole frame without holding it in memory
      await frame
        .resize(1, 1, { fit: 'fill', kernel: 'linear', fastShrinkOnLoad: false })
        .raw()
        .toBuffer()
    }
    return { kind: 'sound', pages: frames.length }
  } catch {
    return {
      kind: 'unsound',
      reason: 'The image is damaged, too large or of a kind that cannot be read.',
    }
  }
}

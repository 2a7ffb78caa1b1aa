import sharp, { type Metadata, type Sharp } from 'sharp'
import { decodeBmp } from './decode-bmp.ts'
import type { MediaType } from './file-signature.ts'
import { imageFramesMax, imagePixelsMax } from './image-limits.ts'

export type ImageMediaType = Exclude<MediaType, 'application/pdf'>

/** An image whose header makes sense: what it says, and one undecoded picture per page. */
export type OpenedImage = { metadata: Metadata; frames: readonly Sharp[] }

/**
 * Opens an image. A TIFF has a frame per page; of an animated GIF the first frame is the picture.
 * Throws when it is damaged or exceeds a limit; damage behind the header shows when a frame is decoded.
 */
export async function openImage(
  bytes: Uint8Array,
  mediaType: ImageMediaType,
): Promise<OpenedImage> {
  if (mediaType === 'image/bmp') return openBmp(bytes)

  const limits = { failOn: 'warning', limitInputPixels: imagePixelsMax } as const
  const metadata = await sharp(bytes, limits).metadata()
  if (`image/${metadata.format}` !== mediaType)
    throw new Error(`${mediaType} is ${metadata.format}`)

  const count = mediaType === 'image/tiff' ? (metadata.pages ?? 1) : 1
  if (count > imageFramesMax) throw new Error(`TIFF has ${count} frames`)
  return {
    metadata,
    frames: Array.from({ length: count }, (_, page) => sharp(bytes, { ...limits, page })),
  }
}

async function openBmp(bytes: Uint8Array): Promise<OpenedImage> {
  const { width, height, channels, pixels } = decodeBmp(bytes)
  const frame = sharp(pixels, {
    raw: { width, height, channels },
    limitInputPixels: imagePixelsMax,
  })
  return { metadata: await frame.metadata(), frames: [frame] }
}

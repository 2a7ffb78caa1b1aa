import sharp, { type Metadata, type Sharp } from 'sharp'
import type { MediaType } from '../file-signature.ts'
import { checkFrames, checkParts } from './check-parts.ts'
import { checkSize, heightOf } from './check-size.ts'
import { decodeBmp, readBmpHeader } from './decode-bmp.ts'
import { damagedImage, imageTooLarge } from './image-fault.ts'
import { imageDecodeSecondsMax, imagePixelsMax, imagePixelsTogetherMax } from './image-limits.ts'
import { statedResolutions } from './stated-resolution.ts'
import type { Resolution } from './tiff-resolution.ts'

export type ImageMediaType = Exclude<MediaType, 'application/pdf'>

/** A page of an image, not yet decoded. Size and resolution are those before rotation to upright. */
export type ImageFrame = {
  /** Decodes when its pixels are requested. */
  picture: () => Sharp
  width: number
  height: number
  /** EXIF orientation from 1 to 8; 1 is upright. */
  orientation: number
  isGrey: boolean
  icc?: Buffer
  resolution?: Resolution
}

/**
 * Opens an image and checks the header of each frame against the limits, without decoding. A TIFF has a frame per page;
 * of an animated GIF only the first frame is used. Throws an ImageFault, or the error of libvips for a damaged header.
 * Damage after the header is found only when a frame is decoded.
 */
export async function openImage(
  bytes: Uint8Array,
  mediaType: ImageMediaType,
): Promise<readonly ImageFrame[]> {
  checkParts(bytes, mediaType)
  const resolutions = statedResolutions(bytes, mediaType)
  const frames = mediaType === 'image/bmp' ? [openBmp(bytes)] : await openFrames(bytes, mediaType)
  return frames.map((frame, index) => {
    const resolution = resolutions[index]
    return resolution ? { ...frame, resolution } : frame
  })
}

async function openFrames(bytes: Uint8Array, mediaType: ImageMediaType): Promise<ImageFrame[]> {
  const first = await sharp(bytes, { limitInputPixels: false }).metadata()
  if (`image/${first.format}` !== mediaType) throw damagedImage()

  const count = mediaType === 'image/tiff' ? (first.pages ?? 1) : 1
  checkFrames(count)
  const frames: ImageFrame[] = []
  let pixels = 0
  for (let page = 0; page < count; page++) {
    const header =
      page === 0 ? first : await sharp(bytes, { page, limitInputPixels: false }).metadata()
    checkSize(header)
    pixels += header.width * heightOf(header)
    if (pixels > imagePixelsTogetherMax) throw tooManyPixels(pixels)
    frames.push(frameOf(header, () => sharp(bytes, { ...strictly, page }).timeout(inTime)))
  }
  return frames
}

function tooManyPixels(measured: number): Error {
  return imageTooLarge(
    `The pages of the image have more than ${imagePixelsTogetherMax} pixels together.`,
    { unit: 'pixels', measured, max: imagePixelsTogetherMax },
  )
}

const inTime = { seconds: imageDecodeSecondsMax }
const strictly = { failOn: 'warning', limitInputPixels: imagePixelsMax } as const

function frameOf(header: Metadata, picture: () => Sharp): ImageFrame {
  const { width, orientation = 1, space, icc } = header
  return {
    picture,
    width,
    height: heightOf(header),
    orientation,
    isGrey: space === 'b-w' || space === 'grey16',
    ...(icc && { icc }),
  }
}

function openBmp(bytes: Uint8Array): ImageFrame {
  const { width, height } = readBmpHeader(bytes)
  const picture = () => {
    const { pixels, ...raw } = decodeBmp(bytes)
    return sharp(pixels, { raw, limitInputPixels: imagePixelsMax }).timeout(inTime)
  }
  return { picture, width, height, orientation: 1, isGrey: false }
}

import sharp, { type Metadata, type Sharp } from 'sharp'
import type { MediaType } from '../file-signature.ts'
import { checkFrames, checkParts } from './check-parts.ts'
import { checkSize, heightOf } from './check-size.ts'
import { decodeBmp, readBmpHeader } from './decode-bmp.ts'
import { damagedImage, imageTooLarge, unprintableImage } from './image-fault.ts'
import { imageDecodeSecondsMax, imagePixelsMax, imagePixelsTogetherMax } from './image-limits.ts'
import { jpegSampleBits } from './jpeg-colour-model.ts'
import { statedResolutions } from './stated-resolution.ts'
import { type Resolution, readTiffDirectories, type TiffDirectory } from './tiff-resolution.ts'

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
 * Opens an image and checks the header of each frame against the limits, without decoding. A TIFF has a frame per page,
 * without its thumbnails; of an animated GIF only the first frame is used. Throws an ImageFault, or the error of libvips for a damaged header.
 * Damage after the header is found only when a frame is decoded.
 */
export async function openImage(
  bytes: Uint8Array,
  mediaType: ImageMediaType,
): Promise<readonly ImageFrame[]> {
  checkParts(bytes, mediaType)
  const resolutions = statedResolutions(bytes, mediaType)
  const frames =
    mediaType === 'image/bmp' ? new Map([[0, openBmp(bytes)]]) : await openFrames(bytes, mediaType)
  return [...frames].map(([place, frame]) => {
    const resolution = resolutions[place]
    return resolution ? { ...frame, resolution } : frame
  })
}

/** Returns the frames that are printed, each by its place in the file. */
async function openFrames(
  bytes: Uint8Array,
  mediaType: ImageMediaType,
): Promise<Map<number, ImageFrame>> {
  const bits = mediaType === 'image/jpeg' ? jpegSampleBits(bytes) : 8
  if (bits !== 8) throw unprintableImage(`a JPEG with ${bits} bits for each colour`)
  const first = await sharp(bytes, { limitInputPixels: false }).metadata()
  if (`image/${first.format}` !== mediaType) throw damagedImage()

  const count = mediaType === 'image/tiff' ? (first.pages ?? 1) : 1
  checkFrames(count)
  const frames = new Map<number, ImageFrame>()
  let pixels = 0
  for (const page of pagesOf(bytes, mediaType, count)) {
    const header =
      page === 0 ? first : await sharp(bytes, { page, limitInputPixels: false }).metadata()
    checkSize(header)
    pixels += header.width * heightOf(header)
    if (pixels > imagePixelsTogetherMax) throw tooManyPixels(pixels)
    if (!printedDepths.includes(header.depth)) {
      throw unprintableImage(`a picture with colours of type ${header.depth}`)
    }
    frames.set(
      page,
      frameOf(header, () => sharp(bytes, { ...strictly, page }).timeout(inTime)),
    )
  }
  return frames
}

/** Other types have no agreed black and white, and libvips would print them as black or white alone. */
const printedDepths: readonly Metadata['depth'][] = ['uchar', 'ushort']

/** Returns the places of the frames that are pages: all, if none says that it is one. */
function pagesOf(bytes: Uint8Array, mediaType: ImageMediaType, count: number): readonly number[] {
  const all = Array.from({ length: count }, (_, place) => place)
  if (mediaType !== 'image/tiff' || count === 1) return all
  const directories = directoriesOf(bytes)
  const pages = all.filter((place) => directories[place]?.isPage ?? true)
  return pages.length > 0 ? pages : all
}

function directoriesOf({ buffer, byteOffset, byteLength }: Uint8Array): readonly TiffDirectory[] {
  try {
    return readTiffDirectories(new DataView(buffer, byteOffset, byteLength))
  } catch (error) {
    // libvips says what is damaged
    if (error instanceof RangeError) return []
    throw error
  }
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

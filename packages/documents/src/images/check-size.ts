import type { Metadata } from 'sharp'
import { imageTooLarge } from './image-fault.ts'
import { imageDecodedBytesMax, imagePixelsMax, imageSidePixelsMax } from './image-limits.ts'

/** Throws an ImageFault if the header says that a frame exceeds the limits. */
export function checkSize(header: Metadata): void {
  const { width } = header
  const height = heightOf(header)
  checkPixels(width, height)

  const decodedBytes = width * height * bytesPerPixel(header)
  if (decodedBytes > imageDecodedBytesMax) {
    const detail = `The image has ${width} × ${height} pixels, which take ${decodedBytes} bytes to decode; at most ${imageDecodedBytesMax} are allowed.`
    throw imageTooLarge(detail, {
      unit: 'bytes',
      measured: decodedBytes,
      max: imageDecodedBytesMax,
    })
  }
}

/** Returns the height of one frame. The header may state the height of all frames, one below the other. */
export function heightOf({ height, pageHeight }: Metadata): number {
  return pageHeight ?? height
}

/** Throws an ImageFault if a frame has more pixels than allowed, in total or on one side. */
export function checkPixels(width: number, height: number, pixelsMax = imagePixelsMax): void {
  const longest = Math.max(width, height)
  if (longest > imageSidePixelsMax) {
    const detail = `The image has ${width} × ${height} pixels; at most ${imageSidePixelsMax} are allowed on a side.`
    throw imageTooLarge(detail, { unit: 'pixels', measured: longest, max: imageSidePixelsMax })
  }
  const measured = width * height
  if (measured > pixelsMax) {
    const detail = `The image has ${width} × ${height} pixels, ${measured} in all; at most ${pixelsMax} are allowed.`
    throw imageTooLarge(detail, { unit: 'pixels', measured, max: pixelsMax })
  }
}

/** A progressive JPEG is decoded as coefficients of two bytes, a GIF as four channels, twice. */
function bytesPerPixel({ format, isProgressive, channels, depth }: Metadata): number {
  if (format === 'gif') return 8
  const isDeep = depth === 'ushort' || (format === 'jpeg' && isProgressive === true)
  const depthBytes = depth === 'float' ? 4 : depth === 'double' ? 8 : isDeep ? 2 : 1
  return channels * depthBytes
}

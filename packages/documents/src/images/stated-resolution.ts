import type { MediaType } from '../file-signature.ts'
import { type Resolution, readTiffDirectories } from './tiff-resolution.ts'

const inchesPerMetre = 1 / 0.0254
/**
 * No scanner or camera states a value outside these limits: libvips writes 25.4 if it knows no resolution, and scanners
 * of film end at 9,600. A higher value would print a picture too small to be seen.
 */
const pixelsPerInchMin = 36
const pixelsPerInchMax = 9600

/**
 * Returns the resolution that a file states for each frame, from PNG's pHYs, JPEG's JFIF or else its EXIF, TIFF's tags,
 * or BMP's pixels per metre. An element is undefined if its frame states none. Never throws, whatever the bytes.
 */
export function statedResolutions(
  bytes: Uint8Array,
  mediaType: MediaType,
): readonly (Resolution | undefined)[] {
  try {
    return readResolutions(bytes, mediaType).map((resolution) =>
      resolution && isSensible(resolution.across) && isSensible(resolution.down)
        ? resolution
        : undefined,
    )
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

function readResolutions(
  bytes: Uint8Array,
  mediaType: MediaType,
): readonly (Resolution | undefined)[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  switch (mediaType) {
    case 'image/png':
      return [readPng(view)]
    case 'image/jpeg':
      return [readJpeg(view)]
    case 'image/bmp':
      return [perMetre(view.getInt32(38, true), view.getInt32(42, true))]
    case 'image/tiff':
      return readTiffDirectories(view).map(({ resolution }) => resolution)
    default:
      return []
  }
}

function readPng(view: DataView): Resolution | undefined {
  for (let at = 8; at + 12 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const chunk = view.getUint32(at + 4)
    if (chunk === chunkName('IDAT')) return undefined
    if (chunk === chunkName('pHYs') && view.getUint8(at + 16) === 1) {
      return perMetre(view.getUint32(at + 8), view.getUint32(at + 12))
    }
  }
  return undefined
}

function chunkName(name: string): number {
  return Buffer.from(name, 'latin1').readUInt32BE()
}

function readJpeg(view: DataView): Resolution | undefined {
  let fromExif: Resolution | undefined
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    while (view.getUint8(at + 1) === 0xff) at += 1
    const marker = view.getUint8(at + 1)
    const name = view.getUint32(at + 4)
    if (marker === 0xda) break
    if (marker === 0xe0 && name === chunkName('JFIF')) {
      const [across, down] = [view.getUint16(at + 12), view.getUint16(at + 14)]
      const unit = view.getUint8(at + 11)
      if (unit === 1) return { across, down }
      if (unit === 2) return { across: across * 2.54, down: down * 2.54 }
    }
    if (marker === 0xe1 && name === chunkName('Exif')) {
      const exif = new DataView(view.buffer, view.byteOffset + at + 10, view.getUint16(at + 2) - 8)
      fromExif ??= readTiffDirectories(exif)[0]?.resolution
    }
  }
  return fromExif
}

function perMetre(across: number, down: number): Resolution {
  return { across: across / inchesPerMetre, down: down / inchesPerMetre }
}

function isSensible(pixelsPerInch: number): boolean {
  return pixelsPerInch >= pixelsPerInchMin && pixelsPerInch <= pixelsPerInchMax
}

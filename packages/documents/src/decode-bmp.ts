import { decode } from 'bmp-ts'
import { imagePixelsMax } from './image-limits.ts'

/** Pixels as red, green, blue, from the top left. */
export type RawImage = { width: number; height: number; channels: 3; pixels: Uint8Array }

/** Uncompressed, and uncompressed with colour masks. bmp-ts gets run-length coding wrong. */
const compressions = [0, 3, 6]
const bitsPerPixelKnown = [1, 4, 8, 16, 24, 32]

/**
 * Decodes a BMP, which sharp cannot. Throws when it is damaged, holds more pixels than allowed, or
 * is of a kind that bmp-ts would decode to another picture. Transparency is ignored: most programs
 * leave that byte unset.
 */
export function decodeBmp(bytes: Uint8Array): RawImage {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  checkHeader(header)
  // bmp-ts leaves the low bits of short colours empty, and white would print as light grey
  const lowBits = header.getUint16(28, true) === 16 ? 5 : 8

  const { width, height, data } = decode(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  )
  const fill = (value: number) => value | (value >> lowBits)
  const pixels = new Uint8Array(width * height * 3)
  for (let from = 0, to = 0; to < pixels.length; from += 4, to += 3) {
    // bmp-ts keeps each pixel as alpha, blue, green, red
    pixels[to] = fill(data[from + 3]!)
    pixels[to + 1] = fill(data[from + 2]!)
    pixels[to + 2] = fill(data[from + 1]!)
  }
  return { width, height, channels: 3, pixels }
}

function checkHeader(header: DataView): void {
  const pixelsAt = header.getUint32(10, true)
  const headerBytes = header.getUint32(14, true)
  if (headerBytes < 40) throw new Error('BMP header is of a kind that bmp-ts cannot read')

  const width = header.getInt32(18, true)
  const height = Math.abs(header.getInt32(22, true))
  if (width < 1 || height < 1) throw new Error('BMP has no pixels')
  if (width * height > imagePixelsMax) throw new Error('BMP has too many pixels')

  const bitsPerPixel = header.getUint16(28, true)
  const compression = header.getUint32(30, true)
  if (!compressions.includes(compression) || !bitsPerPixelKnown.includes(bitsPerPixel)) {
    throw new Error('BMP is of a kind that bmp-ts cannot read')
  }
  // bmp-ts stops after one row
  if (bitsPerPixel === 4 && width % 2 === 1) throw new Error('BMP of 4 bits has an odd width')

  const coloursGiven = header.getUint32(46, true)
  const colours = coloursGiven || (bitsPerPixel <= 8 ? 1 << bitsPerPixel : 0)
  const maskBytes = headerBytes > 40 ? 0 : compression === 3 ? 12 : compression === 6 ? 16 : 0
  if (pixelsAt !== 14 + headerBytes + maskBytes + 4 * colours) {
    throw new Error('BMP has its pixels elsewhere than behind its colour table')
  }
}

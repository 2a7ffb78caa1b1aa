import { decode } from 'bmp-ts'
import { checkPixels } from './check-size.ts'
import { damagedImage } from './image-fault.ts'
import { bmpPixelsMax } from './image-limits.ts'

/** Pixels as red, green, blue, from the top left. */
export type RawImage = { width: number; height: number; channels: 3; pixels: Uint8Array }

/** What a BMP says of itself. Rows stand in the file from the bottom up unless it is top down. */
export type BmpHeader = {
  width: number
  height: number
  isTopDown: boolean
  bitsPerPixel: number
  /** Bytes of headers, masks and colour table; some programs leave a gap behind them. */
  headBytes: number
  pixelsAt: number
  rowBytes: number
}

/** Uncompressed, and uncompressed with colour masks. bmp-ts gets run-length coding wrong. */
const compressions = [0, 3, 6]
const bitsPerPixelKnown = [1, 4, 8, 16, 24, 32]

/** bmp-ts needs four bytes for each pixel of its own, so it is given this many at a time. */
const pixelsAtATime = 1_000_000

/**
 * Decodes a BMP, which sharp cannot, by bands of rows: it takes three bytes of memory for each pixel.
 * Throws an ImageFault when it is damaged, holds more pixels than allowed, or is of a kind that bmp-ts
 * would decode to another picture. Transparency is ignored: most programs leave that byte unset.
 */
export function decodeBmp(bytes: Uint8Array): RawImage {
  const file = asBuffer(bytes)
  const header = readBmpHeader(bytes)
  const { width, height, pixelsAt, rowBytes } = header

  const pixels = new Uint8Array(width * height * 3)
  const rowsAtATime = Math.max(1, Math.floor(pixelsAtATime / width))
  for (let row = 0; row < height; row += rowsAtATime) {
    const rows = Math.min(rowsAtATime, height - row)
    const rowInFile = header.isTopDown ? row : height - row - rows
    const from = pixelsAt + rowInFile * rowBytes
    const band = file.subarray(from, from + rows * rowBytes)
    decodeBand(asBmp(file, header, band, rows), header, pixels.subarray(row * width * 3))
  }
  return { width, height, channels: 3, pixels }
}

/** Throws an ImageFault for a BMP that `decodeBmp` would refuse by its header or its length. */
export function readBmpHeader(bytes: Uint8Array): BmpHeader {
  const file = asBuffer(bytes)
  if (file.length < 54) throw damagedImage()
  const pixelsAt = file.readUInt32LE(10)
  const headerBytes = file.readUInt32LE(14)
  const width = file.readInt32LE(18)
  const heightStated = file.readInt32LE(22)
  const height = Math.abs(heightStated)
  // bmp-ts reads no header of fewer bytes
  if (headerBytes < 40 || width < 1 || height < 1) throw damagedImage()
  checkPixels(width, height, bmpPixelsMax)

  const bitsPerPixel = file.readUInt16LE(28)
  const compression = file.readUInt32LE(30)
  if (!compressions.includes(compression) || !bitsPerPixelKnown.includes(bitsPerPixel)) {
    throw damagedImage()
  }
  const coloursGiven = file.readUInt32LE(46)
  const colours = coloursGiven || (bitsPerPixel <= 8 ? 1 << bitsPerPixel : 0)
  const maskBytes = headerBytes > 40 ? 0 : compression === 3 ? 12 : compression === 6 ? 16 : 0
  const headBytes = 14 + headerBytes + maskBytes + 4 * colours
  const rowBytes = Math.ceil((width * bitsPerPixel) / 32) * 4
  if (pixelsAt < headBytes || file.length < pixelsAt + rowBytes * height) throw damagedImage()

  const isTopDown = heightStated < 0
  return { width, height, isTopDown, bitsPerPixel, headBytes, pixelsAt, rowBytes }
}

function decodeBand(bmp: Buffer, { width, bitsPerPixel }: BmpHeader, pixels: Uint8Array): void {
  // bmp-ts leaves the low bits of short colours empty, and white would print as light grey
  const lowBits = bitsPerPixel === 16 ? 5 : 8
  const fill = (value: number) => value | (value >> lowBits)
  const decoded = decodeOrFault(bmp)
  let to = 0
  for (let row = 0; row < decoded.height; row++) {
    let from = row * decoded.width * 4
    for (let column = 0; column < width; column++, from += 4, to += 3) {
      // bmp-ts keeps each pixel as alpha, blue, green, red
      pixels[to] = fill(decoded.data[from + 3]!)
      pixels[to + 1] = fill(decoded.data[from + 2]!)
      pixels[to + 2] = fill(decoded.data[from + 1]!)
    }
  }
}

/** With the header checked, all that is left to go wrong is a colour that the palette lacks. */
function decodeOrFault(bmp: Buffer): { width: number; height: number; data: Buffer } {
  try {
    return decode(bmp)
  } catch (error) {
    throw damagedImage(error)
  }
}

/**
 * A band of rows as a file of its own, without a gap before the pixels, where bmp-ts would not look for
 * them. Of 4 bits bmp-ts reads an odd width wrong; the row has room for one pixel more, which is then
 * left out.
 */
function asBmp(
  file: Buffer,
  { width, headBytes, isTopDown, bitsPerPixel }: BmpHeader,
  band: Uint8Array,
  rows: number,
): Buffer {
  const bmp = Buffer.concat([file.subarray(0, headBytes), band])
  bmp.writeUInt32LE(headBytes, 10)
  bmp.writeInt32LE(bitsPerPixel === 4 ? width + (width % 2) : width, 18)
  bmp.writeInt32LE(isTopDown ? -rows : rows, 22)
  return bmp
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

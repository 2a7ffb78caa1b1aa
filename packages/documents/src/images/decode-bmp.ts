import { decode } from 'bmp-ts'
import { checkPixels } from './check-size.ts'
import { damagedImage, unprintableImage } from './image-fault.ts'
import { bmpPixelsMax } from './image-limits.ts'

/** Pixels as red, green, blue, from the top left. */
type RawImage = { width: number; height: number; channels: 3; pixels: Uint8Array }

/** The header of a BMP. Rows are stored from the bottom up unless it is top down. */
type BmpHeader = {
  width: number
  height: number
  isTopDown: boolean
  bitsPerPixel: number
  /** Bytes of headers, masks and colour table. Some programs leave a gap after them. */
  headBytes: number
  pixelsAt: number
  rowBytes: number
}

/** Uncompressed, and uncompressed with colour masks. */
const compressions = [0, 3, 6]
/** bmp-ts decodes run-length coding incorrectly, and a JPEG or PNG inside a BMP is for printers alone. */
const codings = new Map([
  [1, 'run-length coding'],
  [2, 'run-length coding'],
  [4, 'a JPEG inside'],
  [5, 'a PNG inside'],
])
const os2HeaderBytes = [12, 16, 64]
const bitsPerPixelKnown = [1, 4, 8, 16, 24, 32]

/** bmp-ts allocates four bytes per pixel, so it decodes at most this many pixels at a time. */
const pixelsAtATime = 1_000_000

/**
 * Decodes a BMP, which sharp cannot, in bands of rows. Uses three bytes of memory per pixel. Throws an ImageFault if
 * the file is damaged, has more pixels than allowed, or is of a kind that bmp-ts decodes incorrectly. Transparency is
 * ignored, because most programs leave that byte unset.
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

/** Parses the header of a BMP. Throws an ImageFault if `decodeBmp` would refuse it by its header or length. */
export function readBmpHeader(bytes: Uint8Array): BmpHeader {
  const file = asBuffer(bytes)
  if (file.length < 26) throw damagedImage()
  const pixelsAt = file.readUInt32LE(10)
  const headerBytes = file.readUInt32LE(14)
  // bmp-ts cannot read these headers.
  if (os2HeaderBytes.includes(headerBytes)) throw unprintableImage('a BMP of OS/2')
  if (file.length < 54) throw damagedImage()
  const width = file.readInt32LE(18)
  const heightStated = file.readInt32LE(22)
  const height = Math.abs(heightStated)
  if (headerBytes < 40 || width < 1 || height < 1) throw damagedImage()
  checkPixels(width, height, bmpPixelsMax)

  const bitsPerPixel = file.readUInt16LE(28)
  const compression = file.readUInt32LE(30)
  const coding = codings.get(compression)
  if (coding) throw unprintableImage(`a BMP with ${coding}`)
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
  // bmp-ts leaves the low bits of short colours empty, so white would print as light grey.
  const lowBits = bitsPerPixel === 16 ? 5 : 8
  const fill = (value: number) => value | (value >> lowBits)
  const decoded = decodeOrFault(bmp)
  let to = 0
  for (let row = 0; row < decoded.height; row++) {
    let from = row * decoded.width * 4
    for (let column = 0; column < width; column++, from += 4, to += 3) {
      // bmp-ts stores each pixel as alpha, blue, green, red.
      pixels[to] = fill(decoded.data[from + 3]!)
      pixels[to + 1] = fill(decoded.data[from + 2]!)
      pixels[to + 2] = fill(decoded.data[from + 1]!)
    }
  }
}

/** After the header check, the only possible error is a colour that the palette lacks. */
function decodeOrFault(bmp: Buffer): { width: number; height: number; data: Buffer } {
  try {
    return decode(bmp)
  } catch (error) {
    throw damagedImage(error)
  }
}

/**
 * Returns a band of rows as a BMP of its own, without a gap before the pixels, which bmp-ts does not support. bmp-ts
 * decodes an odd width incorrectly at 4 bits per pixel. Such a row has room for one more pixel, which is then dropped.
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

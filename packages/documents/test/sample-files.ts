import { encode } from 'bmp-ts'
import { PDFDocument } from 'pdf-lib'
import sharp from 'sharp'

/** A PDF with one page for each size in points. */
export async function aPdf(...sizes: [width: number, height: number][]): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  for (const size of sizes.length > 0 ? sizes : [[595.28, 841.89] as [number, number]]) {
    document.addPage(size).drawRectangle({ x: 50, y: 50, width: 100, height: 100 })
  }
  return document.save()
}

const width = 60
const height = 40

/** 60 by 40 pixels: red on the left, blue on the right, with noise so that it does not compress well. */
export function aPicture() {
  const pixels = Buffer.alloc(width * height * 3)
  for (let index = 0; index < width * height; index++) {
    const isLeft = index % width < width / 2
    pixels[index * 3] = isLeft ? 200 : 0
    pixels[index * 3 + 1] = (index * 7919) % 16
    pixels[index * 3 + 2] = isLeft ? 0 : 200
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

/** A TIFF of several frames, which sharp reads but cannot write. Each page is one grey strip. */
export function aTiff(frames: number): Uint8Array {
  const frameBytes = 8 * 8
  const directoryBytes = 2 + 9 * 12 + 4
  const tiff = Buffer.alloc(8 + frames * (frameBytes + directoryBytes))
  tiff.write('II*\0', 'latin1')
  tiff.writeUInt32LE(8 + frameBytes, 4)

  for (let frame = 0; frame < frames; frame++) {
    const pixelsAt = 8 + frame * (frameBytes + directoryBytes)
    tiff.fill(40 * (frame + 1), pixelsAt, pixelsAt + frameBytes)

    const directoryAt = pixelsAt + frameBytes
    const entries = [
      [256, 8],
      [257, 8],
      [258, 8],
      [259, 1],
      [262, 1],
      [273, pixelsAt],
      [277, 1],
      [278, 8],
      [279, frameBytes],
    ] as const
    tiff.writeUInt16LE(entries.length, directoryAt)
    for (const [index, [tag, value]] of entries.entries()) {
      const entryAt = directoryAt + 2 + index * 12
      tiff.writeUInt16LE(tag, entryAt)
      tiff.writeUInt16LE(4, entryAt + 2)
      tiff.writeUInt32LE(1, entryAt + 4)
      tiff.writeUInt32LE(value, entryAt + 8)
    }
    const nextAt = frame + 1 < frames ? directoryAt + directoryBytes + frameBytes : 0
    tiff.writeUInt32LE(nextAt, directoryAt + 2 + entries.length * 12)
  }
  return tiff
}

/** The sample picture as a BMP of 24 bits, or of 1 or 8 with a grey palette. */
export async function aBmp(bitPP: 1 | 8 | 24 | 32 = 24): Promise<Uint8Array> {
  const rgb = await aPicture().raw().toBuffer()
  const data = Buffer.alloc(width * height * 4)
  for (let index = 0; index < width * height; index++) {
    data[index * 4 + 1] = rgb[index * 3 + 2]!
    data[index * 4 + 2] = rgb[index * 3 + 1]!
    data[index * 4 + 3] = rgb[index * 3]!
  }
  return encode({ width, height, data, bitPP } as Parameters<typeof encode>[0]).data
}

import { inflateSync } from 'node:zlib'
import { PDFDocument, PDFName, PDFNumber, PDFRawStream } from 'pdf-lib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { aBmp, aPicture, aTiff } from '../../test/sample-files.ts'
import { embedImage } from './image-xobject.ts'
import type { ImageMediaType } from './open-image.ts'

async function embed(mediaType: ImageMediaType, bytes: Uint8Array) {
  const { context } = await PDFDocument.create()
  const embedded = await embedImage(context, { mediaType, bytes })
  return embedded.map(({ image }) => {
    const stream = context.lookup(image)
    if (!(stream instanceof PDFRawStream)) throw new Error('not a stream')
    const numberOf = (key: string) => stream.dict.lookup(PDFName.of(key), PDFNumber).asNumber()
    return {
      width: numberOf('Width'),
      height: numberOf('Height'),
      filter: String(stream.dict.get(PDFName.of('Filter'))),
      colours: String(stream.dict.get(PDFName.of('ColorSpace'))),
      bits: numberOf('BitsPerComponent'),
      bytes: stream.getContents(),
    }
  })
}

/** Undoes PNG's row filters as a PDF reader does, so that pixels can be compared. */
async function pixelsOf(rows: Uint8Array, width: number, height: number, channels: 1 | 3) {
  const filtered = inflateSync(rows)
  const stride = width * channels
  const pixels = Buffer.alloc(stride * height)
  for (let y = 0; y < height; y++) {
    const filter = filtered[y * (stride + 1)]!
    for (let x = 0; x < stride; x++) {
      const left = x >= channels ? pixels[y * stride + x - channels]! : 0
      const up = y > 0 ? pixels[(y - 1) * stride + x]! : 0
      const upLeft = x >= channels && y > 0 ? pixels[(y - 1) * stride + x - channels]! : 0
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter]!
      pixels[y * stride + x] = filtered[y * (stride + 1) + 1 + x]! + predicted
    }
  }
  return pixels
}

function paeth(a: number, b: number, c: number): number {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)]
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
}

/** Returns the mean red, green and blue of the top left corner of a picture. */
async function meanOf(bytes: Uint8Array, corner: { width: number; height: number }) {
  const pixels = await sharp(bytes)
    .extract({ left: 0, top: 0, ...corner })
    .raw()
    .toBuffer()
  return [0, 1, 2].map((channel) => {
    const values = [...pixels].filter((_, index) => index % 3 === channel)
    return values.reduce((sum, value) => sum + value, 0) / values.length
  })
}

const original = await aPicture().raw().toBuffer()
const lossless: [string, ImageMediaType, Uint8Array][] = [
  ['PNG', 'image/png', await aPicture().png().toBuffer()],
  ['PNG with alpha', 'image/png', await aPicture().ensureAlpha().png().toBuffer()],
  ['TIFF', 'image/tiff', await aPicture().tiff({ compression: 'lzw' }).toBuffer()],
  ['BMP of 24 bits', 'image/bmp', await aBmp(24)],
  ['BMP of 32 bits', 'image/bmp', await aBmp(32)],
]

describe('a losslessly stored picture keeps its pixels', () => {
  test.each(lossless)('%s', async (_, mediaType, file) => {
    const [image] = await embed(mediaType, file)
    const { width, height, filter, colours, bits, bytes } = image!

    expect({ width, height, filter, colours, bits }).toEqual({
      width: 60,
      height: 40,
      filter: '/FlateDecode',
      colours: '/DeviceRGB',
      bits: 8,
    })
    expect(Buffer.compare(await pixelsOf(bytes, width, height, 3), original)).toBe(0)
  })

  test('and each frame of a grey TIFF stays grey', async () => {
    const frames = await embed('image/tiff', aTiff(3))
    const pixels = await Promise.all(frames.map(({ bytes }) => pixelsOf(bytes, 8, 8, 1)))

    expect(frames.map(({ colours }) => colours)).toEqual(Array(3).fill('/DeviceGray'))
    expect(pixels).toEqual([40, 80, 120].map((grey) => Buffer.alloc(64, grey)))
  })

  test('and 16 bits become 8', async () => {
    const deep = await aPicture().toColourspace('rgb16').png().toBuffer()
    const [image] = await embed('image/png', deep)
    expect(image).toMatchObject({ colours: '/DeviceRGB', bits: 8, width: 60 })
  })
})

describe('a JPEG', () => {
  test('is embedded byte by byte', async () => {
    const jpeg = await aPicture().jpeg().toBuffer()
    const [image] = await embed('image/jpeg', jpeg)
    expect({ ...image, bytes: Buffer.compare(image!.bytes, jpeg) }).toEqual({
      width: 60,
      height: 40,
      filter: '/DCTDecode',
      colours: '/DeviceRGB',
      bits: 8,
      bytes: 0,
    })
  })

  test('is turned upright by its EXIF orientation', async () => {
    const turned = await aPicture().withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const [image] = await embed('image/jpeg', turned)
    const [red] = await meanOf(image!.bytes, { width: 40, height: 25 })

    expect(image).toMatchObject({ width: 40, height: 60, filter: '/DCTDecode' })
    expect(red).toBeGreaterThan(190)
  })
})

test('a picture with more than 300 pixels to the inch on A4 is made smaller', async () => {
  const large = { create: { width: 6000, height: 3000, channels: 3, background: 'red' } } as const
  const [image] = await embed('image/png', await sharp(large).png().toBuffer())
  expect(image).toMatchObject({ width: 2126, height: 1063 })
})

test('an animation is printed as its first picture', async () => {
  const frames = [Buffer.alloc(300, 255), Buffer.alloc(300, 0)].map((pixels) =>
    sharp(pixels, { raw: { width: 10, height: 10, channels: 3 } })
      .png()
      .toBuffer(),
  )
  const gif = await sharp(await Promise.all(frames), { join: { animated: true } })
    .gif()
    .toBuffer()
  const embedded = await embed('image/gif', gif)

  expect(embedded).toHaveLength(1)
  expect(await pixelsOf(embedded[0]!.bytes, 10, 10, 3)).toEqual(Buffer.alloc(300, 255))
})

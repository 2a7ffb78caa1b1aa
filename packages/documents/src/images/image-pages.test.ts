import { PDFDocument } from 'pdf-lib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { readCase } from '../../test/cases.ts'
import { pagePicture } from '../../test/page-picture.ts'
import { aBmp, aPicture, aTiff } from '../../test/sample-files.ts'
import { addImagePages } from './image-pages.ts'
import type { ImageMediaType } from './open-image.ts'

async function place(mediaType: ImageMediaType, bytes: Uint8Array): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  expect(await addImagePages(document, { bytes, mediaType })).toEqual([])
  return document.save()
}

/** Returns where the ink of a page is, in millimetres from its top left. */
async function inkOf(mediaType: ImageMediaType, bytes: Uint8Array) {
  const pixelsPerInch = 127
  const { width, grey } = await pagePicture(await place(mediaType, bytes), 1, { pixelsPerInch })
  let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0]
  for (let index = 0; index < grey.length; index++) {
    if (grey[index]! > 200) continue
    left = Math.min(left, index % width)
    right = Math.max(right, (index % width) + 1)
    top = Math.min(top, Math.floor(index / width))
    bottom = Math.max(bottom, Math.floor(index / width) + 1)
  }
  return [left, top, right - left, bottom - top].map((pixels) => pixels / 5)
}

const black = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#000' } })
const withDensity = (width: number, height: number, density: number) =>
  black(width, height).withMetadata({ density })

async function aBlackBmp(width: number, height: number, pixelsPerMetre: [number, number]) {
  const bmp = Buffer.from(await aBmp())
  const rows = Buffer.alloc(Math.ceil((width * 24) / 32) * 4 * height)
  bmp.writeInt32LE(width, 18)
  bmp.writeInt32LE(height, 22)
  bmp.writeInt32LE(pixelsPerMetre[0], 38)
  bmp.writeInt32LE(pixelsPerMetre[1], 42)
  return Buffer.concat([bmp.subarray(0, 54), rows])
}

describe('a picture is centred near the top, in millimetres: left, top, width, height', async () => {
  const sideways = await withDensity(600, 300, 150)
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()

  const pictures: [string, ImageMediaType, Uint8Array, number[]][] = [
    [
      'PNG at its real size',
      'image/png',
      await withDensity(600, 300, 150).png().toBuffer(),
      [54.2, 15, 101.6, 50.8],
    ],
    [
      'JPEG at its real size',
      'image/jpeg',
      await withDensity(600, 300, 300).jpeg().toBuffer(),
      [79.6, 15, 50.8, 25.4],
    ],
    [
      'PNG that is turned',
      'image/png',
      await withDensity(600, 300, 150).withMetadata({ orientation: 8 }).png().toBuffer(),
      [79.6, 15, 50.8, 101.6],
    ],
    [
      'TIFF that is turned',
      'image/tiff',
      await black(600, 300)
        .withMetadata({ orientation: 6 })
        .tiff({ xres: 150 / 25.4, yres: 150 / 25.4 })
        .toBuffer(),
      [79.6, 15, 50.8, 101.6],
    ],
    ['turned by its camera', 'image/jpeg', sideways, [79.6, 15, 50.8, 101.6]],
    [
      'TIFF of pixels that are not square, as a fax has them',
      'image/tiff',
      await black(1020, 490)
        .tiff({ xres: 204 / 25.4, yres: 98 / 25.4 })
        .toBuffer(),
      [41.5, 15, 127, 127],
    ],
    ['BMP', 'image/bmp', await aBlackBmp(200, 100, [2000, 2000]), [55, 15, 100, 50]],
    [
      'BMP without a resolution',
      'image/bmp',
      await aBlackBmp(72, 36, [0, 0]),
      [92.3, 15, 25.4, 12.7],
    ],
    [
      'a real size that does not fit becomes as wide as the printable area',
      'image/png',
      await withDensity(3000, 1500, 72).png().toBuffer(),
      [15, 15, 180, 90],
    ],
    [
      'or as high',
      'image/png',
      await withDensity(1000, 4000, 72).png().toBuffer(),
      [69.1, 5, 71.8, 287],
    ],
    [
      'a scan of A4 is made a little smaller',
      'image/png',
      await withDensity(1654, 2339, 200).png().toBuffer(),
      [15, 15, 180, 254.5],
    ],
    [
      'a picture finer than paper shows keeps its real size',
      'image/png',
      await withDensity(6000, 6000, 1200).png().toBuffer(),
      [41.5, 15, 127, 127],
    ],
    [
      'small without a resolution: a pixel is a point',
      'image/png',
      await black(144, 72).png().toBuffer(),
      [79.6, 15, 50.8, 25.4],
    ],
    [
      'large without a resolution',
      'image/gif',
      await black(1000, 500).gif().toBuffer(),
      [15, 15, 180, 90],
    ],
  ]

  test.each(pictures)('%s', async (_, mediaType, bytes, expected) => {
    expect(await inkOf(mediaType, bytes)).toEqual(expected.map((each) => expect.closeTo(each, 0)))
  })
})

test('each page of a TIFF becomes a page of the PDF', async () => {
  const document = await PDFDocument.load(await place('image/tiff', aTiff(3)))
  expect(document.getPages().map((page) => Math.round(page.getHeight()))).toEqual([842, 842, 842])
})

test('a thumbnail in a TIFF is not a page', async () => {
  const pdf = await place('image/tiff', readCase('tif-thumbnail-page.tif'))
  expect((await PDFDocument.load(pdf)).getPageCount()).toBe(1)
})

test('a damaged image is a finding', async () => {
  const document = await PDFDocument.create()
  const bytes = (await aPicture().png().toBuffer()).subarray(0, -40)
  expect(await addImagePages(document, { bytes, mediaType: 'image/png' })).toEqual([
    {
      rule: 'image-damaged',
      severity: 'refusal',
      detail: 'The image is damaged or of a kind that cannot be read.',
    },
  ])
})

describe('the printed tone equals that of the picture', async () => {
  const patch = (background: string, alpha = 1) =>
    sharp({ create: { width: 300, height: 300, channels: 4, background } }).ensureAlpha(alpha)
  const half = await sharp({
    create: { width: 300, height: 300, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0.5 } },
  })
    .png()
    .toBuffer()
  const opaque = (grey: number) => patch(`rgb(${grey},${grey},${grey})`).removeAlpha()

  test.each<[string, ImageMediaType, Uint8Array, number]>([
    ['grey', 'image/png', await opaque(100).toColourspace('b-w').png().toBuffer(), 100],
    ['16 bits', 'image/png', await opaque(100).toColourspace('rgb16').png().toBuffer(), 100],
    ['16 bits, grey', 'image/png', await opaque(100).toColourspace('grey16').png().toBuffer(), 100],
    ['palette', 'image/png', await opaque(100).png({ palette: true }).toBuffer(), 100],
    ['half transparent on white', 'image/png', half, 127],
    [
      'half transparent in 16 bits',
      'image/png',
      await sharp(half).toColourspace('rgb16').png().toBuffer(),
      127,
    ],
    [
      'grey and half transparent',
      'image/png',
      await sharp(half).toColourspace('b-w').png().toBuffer(),
      127,
    ],
    ['GIF', 'image/gif', await opaque(100).gif().toBuffer(), 100],
    ['JPEG', 'image/jpeg', await opaque(100).jpeg({ quality: 100 }).toBuffer(), 100],
    [
      'JPEG with the profile sRGB',
      'image/jpeg',
      await opaque(100).withIccProfile('srgb').jpeg({ quality: 100 }).toBuffer(),
      100,
    ],
    [
      'JPEG of four inks',
      'image/jpeg',
      await opaque(100).toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer(),
      100,
    ],
    [
      'TIFF of four inks',
      'image/tiff',
      await opaque(100).toColourspace('cmyk').tiff({ compression: 'lzw' }).toBuffer(),
      100,
    ],
    [
      'TIFF in 16 bits',
      'image/tiff',
      await opaque(100).toColourspace('rgb16').tiff().toBuffer(),
      100,
    ],
    [
      'TIFF of 1 bit',
      'image/tiff',
      await opaque(0).toColourspace('b-w').tiff({ bitdepth: 1 }).toBuffer(),
      0,
    ],
  ])('%s', async (name, mediaType, bytes, tone) => {
    const part = { x: 100, y: 20, width: 5, height: 5 }
    const pdf = await place(mediaType, bytes)
    const { grey } = await pagePicture(pdf, 1, { pixelsPerInch: 100, part })
    expect(Math.abs(grey[100]! - tone)).toBeLessThanOrEqual(
      // Inks differ more than screen colours, because a tone goes through two profiles.
      name.includes('inks') ? 12 : 4,
    )
  })

  test('a colour of another profile is printed as the same colour in sRGB', async () => {
    const file = await sharp({
      create: { width: 300, height: 300, channels: 3, background: '#e02020' },
    })
      .withIccProfile('p3')
      .jpeg({ quality: 100 })
      .toBuffer()
    const [asWritten] = await sharp(file, { ignoreIcc: true }).raw().toBuffer()
    const [printed] = await sharp(await jpegOf(await place('image/jpeg', file)))
      .raw()
      .toBuffer()

    expect(asWritten).toBeLessThan(0xe0 - 5)
    expect(Math.abs(printed! - 0xe0)).toBeLessThanOrEqual(3)
  })
})

/** Returns the JPEG inside a document. */
async function jpegOf(pdf: Uint8Array): Promise<Uint8Array> {
  const start = Buffer.from(pdf).indexOf(Buffer.from([0xff, 0xd8, 0xff]))
  const end = Buffer.from(pdf).lastIndexOf(Buffer.from([0xff, 0xd9]))
  return pdf.subarray(start, end + 2)
}

import { PDFDocument } from 'pdf-lib'
import sharp, { type Colour, type Sharp } from 'sharp'
import { describe, expect, test } from 'vitest'
import { readCase } from '../../test/cases.ts'
import { pagePicture } from '../../test/page-picture.ts'
import { aBmp, aPicture, aTiff } from '../../test/sample-files.ts'
import { detectMediaType } from '../file-signature.ts'
import { addImagePages } from './image-pages.ts'
import type { ImageMediaType } from './open-image.ts'

async function place(bytes: Uint8Array): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const mediaType = detectMediaType(bytes) as ImageMediaType
  expect(await addImagePages(document, { bytes, mediaType })).toEqual([])
  return document.save()
}

/** Returns where the ink of a page is, in millimetres from its top left. */
async function inkOf(bytes: Uint8Array) {
  const pixelsPerInch = 127
  const { width, grey } = await pagePicture(await place(bytes), 1, { pixelsPerInch })
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
  const wide = withDensity(600, 300, 150)
  const turned = (orientation: number) => wide.clone().withMetadata({ orientation })
  const turnedTiff = black(600, 300)
    .withMetadata({ orientation: 6 })
    .tiff({ xres: 150 / 25.4, yres: 150 / 25.4 })
  const fax = black(1020, 490).tiff({ xres: 204 / 25.4, yres: 98 / 25.4 })

  test.each<[string, Uint8Array | Sharp, number[]]>([
    ['PNG at its real size', wide.clone().png(), [54.2, 15, 101.6, 50.8]],
    ['PNG that is turned', turned(8).png(), [79.6, 15, 50.8, 101.6]],
    ['TIFF that is turned', turnedTiff, [79.6, 15, 50.8, 101.6]],
    ['turned by its camera', turned(6).jpeg(), [79.6, 15, 50.8, 101.6]],
    ['TIFF of pixels that are not square, as a fax has them', fax, [41.5, 15, 127, 127]],
    ['BMP', await aBlackBmp(200, 100, [2000, 2000]), [55, 15, 100, 50]],
    ['BMP without a resolution', await aBlackBmp(72, 36, [0, 0]), [92.3, 15, 25.4, 12.7]],
    ['too wide, so as wide as the area', withDensity(3000, 1500, 72).png(), [15, 15, 180, 90]],
    ['too high, so as high', withDensity(1000, 4000, 72).png(), [69.1, 5, 71.8, 287]],
    ['a scan of A4, a little smaller', withDensity(1654, 2339, 200).png(), [15, 15, 180, 254.5]],
    ['finer than paper shows', withDensity(6000, 6000, 1200).png(), [41.5, 15, 127, 127]],
    [
      'small without a resolution: a pixel is a point',
      black(144, 72).png(),
      [79.6, 15, 50.8, 25.4],
    ],
    ['large without a resolution', black(1000, 500).gif(), [15, 15, 180, 90]],
  ])('%s', async (_, picture, expected) => {
    expect(await inkOf(await bytesOf(picture))).toEqual(
      expected.map((each) => expect.closeTo(each, 0)),
    )
  })
})

const bytesOf = async (picture: Uint8Array | Sharp) =>
  picture instanceof Uint8Array ? picture : picture.toBuffer()

test('each page of a TIFF becomes a page of the PDF', async () => {
  const document = await PDFDocument.load(await place(aTiff(3)))
  expect(document.getPages().map((page) => Math.round(page.getHeight()))).toEqual([842, 842, 842])
})

test('a thumbnail in a TIFF is not a page', async () => {
  const pdf = await place(readCase('tif-thumbnail-page.tif'))
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
  const square = (background: Colour) =>
    sharp({ create: { width: 300, height: 300, channels: 4, background } })
  const half = await square({ r: 0, g: 0, b: 0, alpha: 0.5 }).png().toBuffer()
  const grey = (of = 100) => square(`rgb(${of},${of},${of})`).removeAlpha()
  const finest = { quality: 100 }

  test.each<[string, Uint8Array | Sharp, number]>([
    ['grey', grey().toColourspace('b-w').png(), 100],
    ['16 bits', grey().toColourspace('rgb16').png(), 100],
    ['16 bits, grey', grey().toColourspace('grey16').png(), 100],
    ['palette', grey().png({ palette: true }), 100],
    ['half transparent on white', half, 127],
    ['half transparent in 16 bits', sharp(half).toColourspace('rgb16').png(), 127],
    ['grey and half transparent', sharp(half).toColourspace('b-w').png(), 127],
    ['GIF', grey().gif(), 100],
    ['JPEG', grey().jpeg(finest), 100],
    ['JPEG with the profile sRGB', grey().withIccProfile('srgb').jpeg(finest), 100],
    ['JPEG of four inks', grey().toColourspace('cmyk').jpeg(finest), 100],
    ['TIFF of four inks', grey().toColourspace('cmyk').tiff({ compression: 'lzw' }), 100],
    ['TIFF in 16 bits', grey().toColourspace('rgb16').tiff(), 100],
    ['TIFF of 1 bit', grey(0).toColourspace('b-w').tiff({ bitdepth: 1 }), 0],
  ])('%s', async (name, picture, tone) => {
    const part = { x: 100, y: 20, width: 5, height: 5 }
    const pdf = await place(await bytesOf(picture))
    const printed = await pagePicture(pdf, 1, { pixelsPerInch: 100, part })
    expect(Math.abs(printed.grey[100]! - tone)).toBeLessThanOrEqual(
      // Inks differ more than screen colours, because a tone goes through two profiles.
      name.includes('inks') ? 12 : 4,
    )
  })

  test('a colour of another profile is printed as the same colour in sRGB', async () => {
    const file = await square('#e02020').removeAlpha().withIccProfile('p3').jpeg(finest).toBuffer()
    const [asWritten] = await sharp(file, { ignoreIcc: true }).raw().toBuffer()
    const [printed] = await sharp(await jpegOf(await place(file)))
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

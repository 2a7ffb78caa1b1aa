import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { readCase } from '../../test/cases.ts'
import { aBmp, aPicture, aTiff } from '../../test/sample-files.ts'
import { detectMediaType } from '../file-signature.ts'
import { readStructure } from '../file-structure.ts'
import { findImageFault, ImageFault } from './image-fault.ts'
import { inspectImage } from './inspect-image.ts'
import type { ImageMediaType } from './open-image.ts'

const png = await aPicture().png().toBuffer()
const jpeg = await aPicture().jpeg().toBuffer()
const gif = await aPicture().gif().toBuffer()
const bmp = Buffer.from(await aBmp())

const bmpWith = (...values: [at: number, value: number][]) => {
  const changed = Buffer.from(bmp)
  for (const [at, value] of values) changed.writeInt32LE(value | 0, at)
  return changed
}

const damaged = [
  {
    rule: 'image-damaged',
    severity: 'refusal',
    detail: 'The image is damaged or of a kind that cannot be read.',
  },
]

describe('an image that decodes completely is accepted', async () => {
  test.each<[string, ImageMediaType, Uint8Array]>([
    ['PNG', 'image/png', png],
    ['interlaced PNG', 'image/png', await aPicture().png({ progressive: true }).toBuffer()],
    ['palette PNG', 'image/png', await aPicture().png({ palette: true }).toBuffer()],
    ['16-bit PNG', 'image/png', await aPicture().toColourspace('rgb16').png().toBuffer()],
    ['grey PNG', 'image/png', await aPicture().toColourspace('b-w').png().toBuffer()],
    ['transparent PNG', 'image/png', await aPicture().ensureAlpha(0.5).png().toBuffer()],
    ['JPEG', 'image/jpeg', jpeg],
    ['progressive JPEG', 'image/jpeg', await aPicture().jpeg({ progressive: true }).toBuffer()],
    ['CMYK JPEG', 'image/jpeg', await aPicture().toColourspace('cmyk').jpeg().toBuffer()],
    ['GIF', 'image/gif', gif],
    ['TIFF', 'image/tiff', await aPicture().tiff().toBuffer()],
    ['CMYK TIFF', 'image/tiff', await aPicture().toColourspace('cmyk').tiff().toBuffer()],
    ['BigTIFF', 'image/tiff', await aPicture().tiff({ bigtiff: true }).toBuffer()],
    ['TIFF of 100 pages', 'image/tiff', aTiff(100)],
    ['BMP', 'image/bmp', bmp],
  ])('%s', async (_, mediaType, bytes) => {
    expect(await inspectImage(bytes, mediaType)).toEqual([])
  })
})

describe('an intact image of an unprintable kind is refused with that reason', async () => {
  const bits12 = Buffer.from(jpeg)
  bits12[jpeg.indexOf(Buffer.of(0xff, 0xc0)) + 4] = 12
  const os2 = Buffer.alloc(26 + 8 * 24)
  os2.write('BM')
  os2.writeUInt32LE(os2.length, 2)
  os2.writeUInt32LE(26, 10)
  os2.writeUInt32LE(12, 14)
  for (const [place, value] of [8, 8, 1, 24].entries()) os2.writeUInt16LE(value, 18 + 2 * place)
  const float = readCase('tif-float.tif')
  const signed = Buffer.from(float)
  const sampleFormat = Buffer.from([0x53, 1, 3, 0, 1, 0, 0, 0])
  signed.writeUInt16LE(2, float.indexOf(sampleFormat) + sampleFormat.length)

  test.each<[string, ImageMediaType, Uint8Array]>([
    ['a PNG for Apple devices alone (CgBI)', 'image/png', readCase('png-cgbi.png')],
    ['a BMP with run-length coding', 'image/bmp', readCase('bmp-rle8.bmp')],
    ['a BMP with a PNG inside', 'image/bmp', bmpWith([30, 5])],
    ['a BMP of OS/2', 'image/bmp', os2],
    ['a JPEG with 12 bits for each colour', 'image/jpeg', bits12],
    ['a picture with colours of type float', 'image/tiff', float],
    ['a picture with colours of type int', 'image/tiff', signed],
  ])('%s', async (kind, mediaType, bytes) => {
    const detail = `The image is ${kind}, which is not printed; save it as an ordinary PNG, JPEG or TIFF.`
    expect(await inspectImage(bytes, mediaType)).toEqual([
      { rule: 'image-damaged', severity: 'refusal', detail },
    ])
    expect(readStructure(bytes)).toMatchObject({ mediaType, isWhole: true })
  })
})

describe('a damaged image is refused', () => {
  const badCheckSum = Buffer.from(png)
  badCheckSum[png.indexOf('IDAT') + 10]! ^= 0xff

  test.each<[string, ImageMediaType, Uint8Array]>([
    ['PNG with a wrong check sum', 'image/png', badCheckSum],
    ['PNG cut short', 'image/png', png.subarray(0, -40)],
    ['JPEG cut short', 'image/jpeg', jpeg.subarray(0, jpeg.length / 2)],
    ['GIF cut short', 'image/gif', gif.subarray(0, gif.length / 2)],
    ['TIFF cut short', 'image/tiff', aTiff(3).subarray(0, -150)],
    ['BMP cut short', 'image/bmp', bmp.subarray(0, -200)],
    ['BMP with its pixels beyond its end', 'image/bmp', bmpWith([10, 58])],
    ['BMP with an endless palette', 'image/bmp', bmpWith([46, 0xffffffff])],
    ['PNG that is called JPEG', 'image/jpeg', png],
    ['signature alone', 'image/png', png.subarray(0, 8)],
    ['nothing', 'image/tiff', new Uint8Array()],
    ['nothing as a BMP', 'image/bmp', new Uint8Array()],
  ])('%s', async (_, mediaType, bytes) => {
    expect(await inspectImage(bytes, mediaType)).toEqual(damaged)
  })
})

describe('a header that declares a too large image is refused before decoding', () => {
  const pngOf = (width: number, height: number, kind = [8, 2, 0, 0, 0]) => {
    const large = Buffer.from(png)
    large.writeUInt32BE(width, 16)
    large.writeUInt32BE(height, 20)
    large.set(kind, 24)
    return large
  }
  /** A picture of 16 bits that cannot be read row by row. */
  const interlaced = [16, 2, 0, 0, 1]
  const tall = bmpWith([18, 10_000], [22, -3501])

  test.each<[unit: string, bytes: Uint8Array, value: number, max: number, says: string]>([
    [
      'pixels',
      pngOf(10_001, 5_000),
      50_005_000,
      50_000_000,
      '10001 × 5000 pixels, 50005000 in all',
    ],
    ['pixels', pngOf(1, 65_536), 65_536, 65_535, '1 × 65536 pixels; at most 65535'],
    ['bytes', pngOf(7000, 7000, interlaced), 294_000_000, 240_000_000, '294000000 bytes to decode'],
    ['pixels', tall, 35_010_000, 35_000_000, '10000 × 3501 pixels, 35010000 in all'],
    ['pages', aTiff(101), 101, 100, '101 pages'],
  ])('%s', async (unit, bytes, value, max, says) => {
    expect(await inspectImage(bytes, detectMediaType(bytes) as ImageMediaType)).toEqual([
      {
        rule: 'image-too-large',
        severity: 'refusal',
        measured: { unit, value },
        allowed: { unit, max },
        detail: expect.stringContaining(says),
      },
    ])
  })
})

describe('a fault of ours is not reported as a fault of the image', () => {
  const withCode = Object.assign(new Error('no such file'), { code: 'ERR_DLOPEN_FAILED' })

  test.each([
    ['memory of the decoder', new Error('vips_tracked: out of memory --- size == 400MB')],
    ['memory of the program', new RangeError('Array buffer allocation failed')],
    ['a library that is missing', withCode],
    ['a mistake', new TypeError('undefined is not a function')],
    ['what is not an error', 'broken'],
  ])('%s', async (_, thrown) => {
    const work = async () => {
      throw thrown
    }
    await expect(findImageFault(work)).rejects.toBe(thrown)
  })

  test('an error of the decoder is a fault of the image', async () => {
    const work = async () => {
      await sharp(png.subarray(0, -40), { failOn: 'warning' }).raw().toBuffer()
    }
    expect(await findImageFault(work)).toEqual(damaged[0])
  })

  test('a fault with a finding keeps the finding', async () => {
    const fault = new ImageFault({ rule: 'image-too-large', detail: 'Too large.' })
    expect(await findImageFault(() => Promise.reject(fault))).toBe(fault.finding)
  })
})

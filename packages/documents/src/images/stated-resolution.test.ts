import fc from 'fast-check'
import type { TiffOptions } from 'sharp'
import { describe, expect, test } from 'vitest'
import { aBmp, aPicture, aTiff } from '../../test/sample-files.ts'
import type { MediaType } from '../file-signature.ts'
import { statedResolutions } from './stated-resolution.ts'

const png = await aPicture().withMetadata({ density: 300 }).png().toBuffer()
const jpeg = await aPicture().withMetadata({ density: 300 }).jpeg().toBuffer()
const bare = await aPicture().jpeg().toBuffer()

/** A JFIF segment for a JPEG that has none. */
function jfif(unit: number, across: number, down: number): Buffer {
  const segment = Buffer.from('\xff\xe0\0\x10JFIF\0\x01\x02\0\0\0\0\0\0\0', 'latin1')
  segment[11] = unit
  segment.writeUInt16BE(across, 12)
  segment.writeUInt16BE(down, 14)
  return Buffer.concat([bare.subarray(0, 2), segment, bare.subarray(2)])
}

function bmp(across: number, down: number, file: Uint8Array): Buffer {
  const changed = Buffer.from(file)
  changed.writeInt32LE(across, 38)
  changed.writeInt32LE(down, 42)
  return changed
}

/** EXIF data with a resolution, in a segment after the start of a JPEG without one. */
function exif(order: 'II' | 'MM', unit: number, across: number, down: number): Buffer {
  const tiff = Buffer.alloc(8 + 2 + 3 * 12 + 4 + 16)
  const isLittle = order === 'II'
  const write16 = (value: number, at: number) =>
    isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at)
  const write32 = (value: number, at: number) =>
    isLittle ? tiff.writeUInt32LE(value, at) : tiff.writeUInt32BE(value, at)
  tiff.write(order)
  write16(42, 2)
  write32(8, 4)
  write16(3, 8)
  for (const [index, [tag, kind, value]] of [
    [282, 5, 50],
    [283, 5, 58],
    [296, 3, unit],
  ].entries()) {
    const at = 10 + index * 12
    write16(tag!, at)
    write16(kind!, at + 2)
    write32(1, at + 4)
    kind === 3 ? write16(value!, at + 8) : write32(value!, at + 8)
  }
  for (const [at, value] of [
    [50, across],
    [58, down],
  ] as const) {
    write32(value * 10, at)
    write32(10, at + 4)
  }
  const segment = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const head = Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, segment.length + 2])
  return Buffer.concat([head, segment, jfif(0, 1, 1).subarray(2)])
}

describe('the resolution is read in pixels to the inch, across and down, from', async () => {
  const inInches = { xres: 11.811, yres: 5.9055, resolutionUnit: 'inch' } as const
  const inCm = { ...inInches, bigtiff: true, resolutionUnit: 'cm' } as const
  const tiffOf = (options: TiffOptions) => aPicture().tiff(options).toBuffer()

  test.each<[string, MediaType, Uint8Array, number, number]>([
    ['PNG', 'image/png', png, 300, 300],
    ['JFIF in inches', 'image/jpeg', jfif(1, 204, 98), 204, 98],
    ['JFIF in centimetres', 'image/jpeg', jfif(2, 100, 50), 254, 127],
    ['JPEG of sharp', 'image/jpeg', jpeg, 300, 300],
    ['the least', 'image/jpeg', jfif(1, 36, 36), 36, 36],
    ['the most', 'image/jpeg', jfif(1, 9600, 9600), 9600, 9600],
    ['EXIF, little end first', 'image/jpeg', exif('II', 2, 240, 120), 240, 120],
    ['EXIF, big end first, in centimetres', 'image/jpeg', exif('MM', 3, 100, 50), 254, 127],
    ['BMP', 'image/bmp', bmp(11_811, 5906, await aBmp()), 300, 150],
    ['TIFF', 'image/tiff', await tiffOf(inInches), 300, 150],
    ['BigTIFF in centimetres', 'image/tiff', await tiffOf(inCm), 300, 150],
  ])('%s', (_, mediaType, bytes, across, down) => {
    const [resolution] = statedResolutions(bytes, mediaType)
    expect(resolution).toEqual({ across: expect.closeTo(across, 0), down: expect.closeTo(down, 0) })
  })
})

describe('the resolution is not stated by', async () => {
  const unknown = await aPicture().png().toBuffer()

  test.each<[string, MediaType, Uint8Array]>([
    ['PNG in which libvips wrote that it knows of none', 'image/png', unknown],
    ['JFIF with proportions only', 'image/jpeg', jfif(0, 300, 300)],
    ['JFIF of zero', 'image/jpeg', jfif(1, 0, 0)],
    ['JFIF of less than the least', 'image/jpeg', jfif(1, 36, 35)],
    ['JFIF of more than the most', 'image/jpeg', jfif(1, 9601, 9600)],
    ['BMP of zero', 'image/bmp', bmp(0, 0, await aBmp())],
    ['BMP below zero', 'image/bmp', bmp(-3000, -3000, await aBmp())],
    ['BMP beyond sense', 'image/bmp', bmp(0x7fffffff, 3000, await aBmp())],
    ['TIFF without the tags', 'image/tiff', aTiff(1)],
    ['GIF, which cannot state it', 'image/gif', await aPicture().gif().toBuffer()],
    ['JPEG cut in its header', 'image/jpeg', jpeg.subarray(0, 10)],
    ['nothing', 'image/tiff', new Uint8Array()],
  ])('%s', (_, mediaType, bytes) => {
    expect(statedResolutions(bytes, mediaType)[0]).toBeUndefined()
  })
})

test('each page of a TIFF states its own resolution', () => {
  expect(statedResolutions(aTiff(3), 'image/tiff')).toEqual([undefined, undefined, undefined])
})

test('reading the resolution of any bytes ends and does not throw', () => {
  const starts: [MediaType, Uint8Array][] = [
    ['image/png', png],
    ['image/jpeg', jpeg],
    ['image/tiff', aTiff(3)],
  ]
  fc.assert(
    fc.property(
      fc.constantFrom(...starts),
      fc.array(fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 255 })), { maxLength: 20 }),
      ([mediaType, bytes], changes) => {
        const changed = Buffer.from(bytes)
        for (const [at, value] of changes) changed[at % changed.length] = value
        expect(statedResolutions(changed, mediaType).length).toBeLessThanOrEqual(100)
      },
    ),
  )
})

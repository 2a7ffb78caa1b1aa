import { commentOf } from '@despatch/domain/preflight/finding'
import { PDFDocument } from 'pdf-lib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { aBmp, aPdf, aPicture, aTiff } from '../test/sample-files.ts'
import { updatePdf, writePdf } from '../test/write-pdf.ts'
import type { MediaType } from './file-signature.ts'
import { inspectContent } from './inspect-content.ts'

const pdf = await aPdf()
const png = await aPicture().png().toBuffer()
const interlacedPng = await aPicture().png({ progressive: true }).toBuffer()
const gif = await aPicture().gif().toBuffer()
const jpeg = await aPicture().jpeg().toBuffer()
const cmykJpeg = await aPicture().toColourspace('cmyk').jpeg().toBuffer()
const tiff = await aPicture().tiff().toBuffer()
const bigTiff = await aPicture().tiff({ bigtiff: true }).toBuffer()
const bmp = Buffer.from(await aBmp())

const imageReason = expect.stringMatching(/^File scan: The image (?:is damaged|has \d+ )/)

/** Returns the number of pages of a sound file, or the sentence of its finding. */
async function inspect(mediaType: MediaType, bytes: Uint8Array) {
  const { findings, pages } = await inspectContent({ fileId: 'scan', mediaType, bytes })
  return pages === undefined
    ? { kind: 'unsound', reason: commentOf(findings) }
    : { kind: 'sound', pages }
}

describe('PDF', () => {
  test('is sound, with its number of pages', async () => {
    expect(await inspect('application/pdf', await aPdf([595, 842], [100, 100]))).toEqual({
      kind: 'sound',
      pages: 2,
    })
  })

  test('is opened and checked for revisions, also on a second inspection', async () => {
    const file = { fileId: 'scan', mediaType: 'application/pdf', bytes: await aPdf() } as const
    const updated = updatePdf(writePdf(), { objects: { 2: '<</Type/Pages/Kids[3 0 R]/Count 1>>' } })

    for (const _ of [1, 2]) {
      const { isRevised, openDocument } = await inspectContent(file)
      expect(isRevised).toBe(false)
      expect((await openDocument!()).getPageCount()).toBe(1)
      expect(await openDocument!()).toBe(await openDocument!())
      expect(await inspectContent({ ...file, bytes: updated })).toMatchObject({ isRevised: true })
    }
  })

  test('is refused when encrypted', async () => {
    const document = await PDFDocument.load(await aPdf())
    document.encrypt({ userPassword: '', ownerPassword: 'x' })
    expect(await inspect('application/pdf', await document.save())).toEqual({
      kind: 'unsound',
      reason: 'File scan: The PDF is encrypted.',
    })
  })

  test('is refused when cut short, also where pdf-lib would repair it', async () => {
    const reason = 'File scan: The PDF is not complete.'
    expect(await inspect('application/pdf', pdf.subarray(0, 300))).toEqual({
      kind: 'unsound',
      reason,
    })
    expect(await inspect('application/pdf', pdf.subarray(0, -6))).toEqual({
      kind: 'unsound',
      reason,
    })
    expect(await inspect('application/pdf', new Uint8Array())).toEqual({ kind: 'unsound', reason })
  })

  test('is sound with zeros after its end', async () => {
    const padded = Buffer.concat([pdf, Buffer.alloc(4096)])
    expect(await inspect('application/pdf', padded)).toEqual({ kind: 'sound', pages: 1 })
  })

  test('is refused without a page', async () => {
    const document = await PDFDocument.create()
    expect(
      await inspect('application/pdf', await document.save({ addDefaultPage: false })),
    ).toEqual({ kind: 'unsound', reason: 'File scan: The PDF has no pages.' })
  })

  test.each([
    ['nothing but its marks', Buffer.from('%PDF-1.7\n%%EOF')],
    [
      'an invalid object',
      Buffer.from('%PDF-1.7\n1 0 obj <</Type /Catalog >< endobj\ntrailer <</Root 1 0 R>>\n%%EOF'),
    ],
  ])('is refused when damaged: %s', async (_, bytes) => {
    expect(await inspect('application/pdf', bytes)).toEqual({
      kind: 'unsound',
      reason: 'File scan: The PDF is damaged and cannot be read.',
    })
  })
})

describe('images', () => {
  test.each<[string, MediaType, number, Uint8Array]>([
    ['GIF', 'image/gif', 1, gif],
    ['PNG', 'image/png', 1, png],
    ['interlaced PNG', 'image/png', 1, interlacedPng],
    ['JPEG', 'image/jpeg', 1, jpeg],
    ['CMYK JPEG', 'image/jpeg', 1, cmykJpeg],
    ['TIFF', 'image/tiff', 1, tiff],
    ['BigTIFF', 'image/tiff', 1, bigTiff],
    ['TIFF of three frames', 'image/tiff', 3, aTiff(3)],
    ['BMP', 'image/bmp', 1, bmp],
  ])('%s is sound', async (_, mediaType, pages, bytes) => {
    expect(await inspect(mediaType, bytes)).toEqual({ kind: 'sound', pages })
  })

  const badCrc = Buffer.from(png)
  badCrc[png.indexOf('IDAT') + 10]! ^= 0xff
  const bmpWith = (at: number, value: number) => {
    const changed = Buffer.from(bmp)
    changed.writeUInt32LE(value, at)
    return changed
  }

  test.each<[string, MediaType, Uint8Array]>([
    ['a PNG with a wrong check sum', 'image/png', badCrc],
    ['a PNG cut short', 'image/png', png.subarray(0, -40)],
    ['a JPEG cut short', 'image/jpeg', jpeg.subarray(0, jpeg.length / 2)],
    ['a GIF cut short', 'image/gif', gif.subarray(0, gif.length / 2)],
    ['a TIFF cut short', 'image/tiff', aTiff(3).subarray(0, -150)],
    ['a TIFF of more frames than allowed', 'image/tiff', aTiff(101)],
    ['a BMP cut short', 'image/bmp', bmp.subarray(0, -200)],
    ['a BMP of more pixels than allowed', 'image/bmp', bmpWith(18, 3_000_000)],
    ['a BMP with its pixels beyond its end', 'image/bmp', bmpWith(10, 58)],
    ['a BMP with an endless palette', 'image/bmp', bmpWith(46, 0xffffffff)],
    ['a PNG that calls itself JPEG', 'image/jpeg', png],
    ['nothing', 'image/png', new Uint8Array()],
    ['nothing as a BMP', 'image/bmp', new Uint8Array()],
  ])('%s is refused', async (_, mediaType, bytes) => {
    expect(await inspect(mediaType, bytes)).toEqual({ kind: 'unsound', reason: imageReason })
  })

  test('a BMP with run lengths is refused with that reason', async () => {
    expect(await inspect('image/bmp', bmpWith(30, 1))).toEqual({
      kind: 'unsound',
      reason:
        'File scan: The image is a BMP with run-length coding, which is not printed; save it as an ordinary PNG, JPEG or TIFF.',
    })
  })

  test('a picture of more than 100 million pixels is refused by its header', async () => {
    const large = Buffer.from(png)
    large.writeUInt32BE(10_001, 16)
    large.writeUInt32BE(10_000, 20)
    expect(await inspect('image/png', large)).toEqual({ kind: 'unsound', reason: imageReason })
    await expect(sharp(large).metadata()).resolves.toBeDefined()
  })
})

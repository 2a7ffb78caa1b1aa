import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aBmp, aPdf, aPicture } from '../test/sample-files.ts'
import { decodeInlineFile } from './inline-file.ts'

const pdf = Buffer.from('%PDF-1.7\n1 0 obj <<>> endobj ..')
const base64 = pdf.toString('base64')
const large = Buffer.concat([pdf, Buffer.alloc(3_000_001, 'abc')])
const largeBase64 = large.toString('base64')
const asFile = { mediaType: 'application/pdf', bytes: pdf, sha256: hash('sha256', pdf) }

describe('canonical base64 with a signature is a file', () => {
  test.each([
    ['one line', base64],
    ['lines of 20', base64.replaceAll(/(.{20})/g, '$1\n')],
    ['Windows line breaks and one at the end', `${base64.replaceAll(/(.{20})/g, '$1\r\n')}\r\n`],
    ['lines of which the last ones are empty', `${base64}${'\n'.repeat(600_000)}`],
    ...[1, 2, 3, 4].map((after): [string, string] => [
      `a part that ends ${after} characters before the end`,
      `${base64.slice(0, 8)}${'\n'.repeat(512 * 1024 + after - base64.length)}${base64.slice(8)}`,
    ]),
  ])('%s', async (_, value) => {
    expect(await decodeInlineFile(value)).toEqual(asFile)
  })

  test('every kind of file', async () => {
    const files = [
      ['application/pdf', await aPdf()],
      ['image/gif', await aPicture().gif().toBuffer()],
      ['image/png', await aPicture().png().toBuffer()],
      ['image/jpeg', await aPicture().jpeg().toBuffer()],
      ['image/tiff', await aPicture().tiff().toBuffer()],
      ['image/tiff', Buffer.from('MM\0*....')],
      ['image/tiff', await aPicture().tiff({ bigtiff: true }).toBuffer()],
      ['image/tiff', Buffer.from('MM\0+....')],
      ['image/bmp', await aBmp()],
    ] as const
    for (const [mediaType, bytes] of files) {
      const inline = await decodeInlineFile(Buffer.from(bytes).toString('base64'))
      expect(inline?.mediaType).toBe(mediaType)
      expect(Buffer.compare(inline!.bytes, bytes)).toBe(0)
    }
  })

  test('a BMP of any size in its header', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 0xffffffff }), async (fileBytes) => {
        const bmp = Buffer.alloc(64)
        bmp.write('BM')
        bmp.writeUInt32LE(fileBytes, 2)
        bmp.writeUInt32LE(54, 10)
        bmp.writeUInt32LE(40, 14)
        const inline = await decodeInlineFile(bmp.toString('base64'))
        expect(inline?.mediaType).toBe('image/bmp')
      }),
    )
  })

  test.each([
    ['one line', largeBase64],
    ['lines of 76', largeBase64.replaceAll(/.{76}/g, '$&\r\n')],
  ])('a large one in %s, while other work runs', async (_, value) => {
    let turns = 0
    let next: NodeJS.Immediate
    const count = () => {
      turns += 1
      next = setImmediate(count)
    }
    count()
    const inline = await decodeInlineFile(value)
    clearImmediate(next!)

    expect(inline?.sha256).toBe(hash('sha256', large))
    expect(Buffer.compare(inline!.bytes, large)).toBe(0)
    expect(turns).toBeGreaterThan(4)
  })
})

describe('everything else is text', () => {
  test.each([
    ['nothing', ''],
    ['words', 'Dear Sir or Madam'],
    ['a signature that is not base64', '%PDF-1.7'],
    ['a signature and then a blank', `${base64.slice(0, 16)} ${base64.slice(16)}`],
    ['a signature and then words', 'JVBERi0 is how a PDF begins, they say'],
    ['a character that the decoder would skip', `${base64.slice(0, 16)}!${base64.slice(16)}`],
    [
      'a character whose lowest byte is a letter',
      `${base64.slice(0, 16)}\u{141}${base64.slice(17)}`,
    ],
    ['the alphabet of URLs', Buffer.from('%PDF-\xff\xfe\xff', 'latin1').toString('base64url')],
    ['without its padding', base64.replace(/=+$/, '')],
    ['too much padding', `${base64}====`],
    ['padding in the middle', `${base64}${base64}`],
    ['bits behind the end', 'JVBERi1='],
    ['a blank in front', ` ${base64}`],
    ['a data address', `data:application/pdf;base64,${base64}`],
    ['base64 of no known file', Buffer.from('PK\x03\x04').toString('base64')],
    ['letters that begin like a BMP', 'Qk2345678901'],
    ['letters that begin like a JPEG', '/9j'],
    ['a large file with padding in the middle', `${largeBase64.slice(0, -3)}A==${largeBase64}`],
    ['a large file with a blank far behind', `${largeBase64} ${largeBase64}`],
  ])('%s', async (_, value) => {
    expect(await decodeInlineFile(value)).toBeUndefined()
  })

  test('exactly when encoding it again would not give the same', async () => {
    const spoilt = fc
      .record({
        file: fc.uint8Array({ maxLength: 20 }),
        at: fc.nat({ max: 40 }),
        removed: fc.nat({ max: 2 }),
        added: fc.oneof(
          fc.string({ unit: 'binary', maxLength: 2 }),
          fc.string({ unit: fc.constantFrom('A', 'B', '=', '-', '_', '\u{141}'), maxLength: 4 }),
        ),
      })
      .map(({ file, at, removed, added }) => {
        const whole = Buffer.concat([Buffer.from('%PDF-1'), file]).toString('base64')
        return `${whole.slice(0, at)}${added}${whole.slice(at + removed)}`
      })
      .filter((value) => !/[\r\n]/.test(value))

    await fc.assert(
      fc.asyncProperty(spoilt, async (value) => {
        const decoded = Buffer.from(value, 'base64')
        const isFile =
          decoded.toString('base64') === value && decoded.toString('latin1', 0, 5) === '%PDF-'
        expect((await decodeInlineFile(value)) !== undefined).toBe(isFile)
      }),
      { numRuns: 5_000 },
    )
  })
})

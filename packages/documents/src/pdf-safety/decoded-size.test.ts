import { randomBytes } from 'node:crypto'
import { constants, deflateSync } from 'node:zlib'
import { decodePDFRawStream, PDFContext, PDFName, PDFRawStream } from 'pdf-lib'
import { describe, expect, test } from 'vitest'
import { lzwOfZeros } from '../../test/pdf-bombs.ts'
import { measureDecoded } from './decoded-size.ts'
import { UnsafePdf } from './unsafe-pdf.ts'

const MiB = 1024 * 1024
const text = (value: string) => Buffer.from(value, 'latin1')
const measure = (contents: Uint8Array, names: readonly string[], bytesMax = 64 * MiB) =>
  measureDecoded({
    contents,
    filters: names.map((name) => ({ name, earlyChange: true })),
    bytesMax,
    tooLarge: () => new Error('too large'),
  })

describe('counts the bytes that a stream decodes to', () => {
  test.each<[string, number, Uint8Array, string[]]>([
    ['nothing', 0, text(''), ['FlateDecode']],
    ['what is not compressed', 3, text('q Q'), []],
    ['flate', 300, deflateSync(Buffer.alloc(300)), ['FlateDecode']],
    ['flate of more than fits at once', 20 * MiB, deflateSync(Buffer.alloc(20 * MiB)), ['Fl']],
    ['much flate', 300_000, deflateSync(randomBytes(300_000)), ['FlateDecode']],
    [
      'flate without its check sum',
      9,
      deflateSync(Buffer.alloc(9)).subarray(0, -3),
      ['FlateDecode'],
    ],
    ['flate without a final block', 300, flushed(Buffer.alloc(300)), ['FlateDecode']],
    ['flate in a window that it says is smaller', 100_000, inSmallWindow(), ['FlateDecode']],
    ['much flate without a final block', 300_000, flushed(randomBytes(300_000)), ['Fl']],
    ['hexadecimal', 3, text('71 0A 5> 99'), ['ASCIIHexDecode']],
    ['ASCII85', 9, text('87cUR z /c~> zz'), ['ASCII85Decode']],
    ['run lengths', 3 + 2, Uint8Array.of(2, 1, 2, 3, 255, 9, 128, 0, 0), ['RunLengthDecode']],
    ['LZW', 10, Uint8Array.of(0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01), ['LZWDecode']],
    ['a JPEG as it is', 2, Uint8Array.of(0xff, 0xd8), ['DCTDecode']],
    ['a JPEG behind flate', 7, deflateSync(Buffer.alloc(7)), ['FlateDecode', 'DCTDecode']],
  ])('%s', async (_, bytes, contents, names) => {
    expect(await measure(contents, names)).toBe(bytes)
  })

  test('and the bytes between two filters', async () => {
    const once = deflateSync(Buffer.alloc(100_000))

    expect(await measure(deflateSync(once), ['FlateDecode', 'FlateDecode'])).toBe(
      100_000 + once.length,
    )
  })

  test('and of LZW with codes of every width, as pdf-lib decodes it', async () => {
    const contents = lzwOfZeros(9_000)
    const context = PDFContext.create()
    const dictionary = context.obj({ Filter: PDFName.of('LZWDecode') })
    const decoded = decodePDFRawStream(PDFRawStream.of(dictionary, contents)).decode()

    expect(decoded.length).toBeGreaterThan(4 * MiB)
    expect(await measure(contents, ['LZWDecode'])).toBe(decoded.length)
  })
})

test.each<[string, Uint8Array, string[]]>([
  ['flate', deflateSync(Buffer.alloc(MiB)), ['FlateDecode']],
  ['flate that takes steps', deflateSync(Buffer.alloc(40 * MiB)), ['FlateDecode']],
  [
    'flate without its check sum',
    deflateSync(Buffer.alloc(40 * MiB)).subarray(0, -3),
    ['FlateDecode'],
  ],
  ['flate of flate', deflateSync(deflateSync(randomBytes(MiB))), ['FlateDecode', 'FlateDecode']],
  ['LZW', lzwOfZeros(9_000), ['LZWDecode']],
  ['run lengths', Buffer.alloc(2_000, Uint8Array.of(129, 0)), ['RunLengthDecode']],
  ['ASCII85', Buffer.alloc(2_000, 'z'), ['ASCII85Decode']],
  ['what is not compressed', Buffer.alloc(2_000), []],
])('stops at the limit: %s', async (_, contents, names) => {
  await expect(measure(contents, names, 1_000)).rejects.toThrow('too large')
})

test.each<[string, Uint8Array, string[]]>([
  ['flate', text('not flate'), ['FlateDecode']],
  ['flate cut short', deflateSync(randomBytes(900)).subarray(0, -9), ['FlateDecode']],
  ['flate whose checksum is another', otherChecksum(), ['FlateDecode']],
  ['flate of flate cut short', deflateSync(Buffer.alloc(9)), ['FlateDecode', 'FlateDecode']],
  ['ASCII85', text('vvvvv~>'), ['ASCII85Decode']],
  ['ASCII85 of a group that is too large', text('uuuuu~>'), ['ASCII85Decode']],
  ['an unknown filter', text('x'), ['Zip']],
  ['a name that every object has', text('x'), ['constructor']],
])('refuses a stream that does not decode: %s', async (_, contents, names) => {
  await expect(measure(contents, names)).rejects.toBeInstanceOf(UnsafePdf)
})

/** As writers end a stream that only flush it. */
function flushed(data: Uint8Array): Uint8Array {
  return deflateSync(data, { finishFlush: constants.Z_SYNC_FLUSH })
}

/** Repeats what is 20,000 bytes before, and says that it looks back 8 KiB at most. */
function inSmallWindow(): Uint8Array {
  const part = randomBytes(20_000)
  const compressed = deflateSync(Buffer.concat([part, part, part, part, part]))
  compressed.set([0x58, 0x85])
  return compressed
}

function otherChecksum(): Uint8Array {
  const compressed = deflateSync(Buffer.alloc(9))
  compressed[compressed.length - 1]! ^= 1
  return compressed
}

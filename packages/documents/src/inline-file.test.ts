import { hash } from 'node:crypto'
import { numberOf } from '@despatch/domain/preflight/rules'
import { byEffort } from '@despatch/testing/effort'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCase } from '../test/cases.ts'
import { aBmp, aPdf, aPicture } from '../test/sample-files.ts'
import { findingsOfStructure } from './file-findings.ts'
import { readStructure } from './file-structure.ts'
import { readInlineValue } from './inline-file.ts'

const pdf = Buffer.from('%PDF-1.7\n1 0 obj <<>> endobj ..')
const base64 = pdf.toString('base64')
const large = Buffer.concat([pdf, Buffer.alloc(3_000_001, 'abc')])
const largeBase64 = large.toString('base64')
const file = { mediaType: 'application/pdf', bytes: pdf, sha256: hash('sha256', pdf) }

describe('canonical base64 with a signature is a file', async () => {
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
    expect(await readInlineValue(value)).toEqual({ kind: 'file', file, isCanonical: true })
  })

  test.each([
    ['application/pdf', await aPdf()],
    ['image/gif', await aPicture().gif().toBuffer()],
    ['image/png', await aPicture().png().toBuffer()],
    ['image/jpeg', await aPicture().jpeg().toBuffer()],
    ['image/tiff', await aPicture().tiff().toBuffer()],
    ['image/tiff', Buffer.from('MM\0*....')],
    ['image/tiff', await aPicture().tiff({ bigtiff: true }).toBuffer()],
    ['image/tiff', Buffer.from('MM\0+....')],
    ['image/bmp', await aBmp()],
  ])('also for %s', async (mediaType, bytes) => {
    const inline = await fileIn(Buffer.from(bytes).toString('base64'))
    expect(inline?.mediaType).toBe(mediaType)
    expect(Buffer.compare(inline!.bytes, bytes)).toBe(0)
  })

  test('for a BMP of any size in its header', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 0xffffffff }), async (fileBytes) => {
        const bmp = Buffer.alloc(64)
        bmp.write('BM')
        bmp.writeUInt32LE(fileBytes, 2)
        bmp.writeUInt32LE(54, 10)
        bmp.writeUInt32LE(40, 14)
        const inline = await fileIn(bmp.toString('base64'))
        expect(inline?.mediaType).toBe('image/bmp')
      }),
    )
  })

  test.each([
    ['one line', largeBase64],
    ['lines of 76', largeBase64.replaceAll(/.{76}/g, '$&\r\n')],
  ])('for a large file in %s, while other work runs', async (_, value) => {
    await expectReadInTurns(value)
  })
})

/** Expects that the value is the large file, and that other work runs while it is read. */
async function expectReadInTurns(value: string) {
  let turns = 0
  let next: NodeJS.Immediate
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  count()
  const inline = await fileIn(value)
  clearImmediate(next!)

  expect(inline?.sha256).toBe(hash('sha256', large))
  expect(Buffer.compare(inline!.bytes, large)).toBe(0)
  expect(turns).toBeGreaterThan(4)
}

describe('a file in another encoding is a file, too', () => {
  const spaced = (text: string, every: number) =>
    text.replaceAll(new RegExp(`(.{${every}})(?=.)`, 'g'), '$1 ')

  test.each([
    ['a data URL', `data:application/pdf;base64,${base64}`],
    ['a data URL in capitals, with parameters', `DATA:Application/PDF;name=a.pdf;BASE64,${base64}`],
    ['a data URL of a wrong media type', `data:text/plain;base64,${base64}`],
    ['a data URL without a media type', `data:;base64,${base64}`],
    ['a data URL that does not say base64', `data:application/pdf,${base64}`],
    ['a data URL with blanks', `data:application/pdf; base64, ${base64}`],
    ['a data URL with lines', `data:;base64,\n${base64.slice(0, 20)}\n${base64.slice(20)}`],
    ['a data URL in percent-encoding', `data:image/x,${encodeURIComponent(pdf.toString())}`],
    ['a percent-encoded data URL', encodeURIComponent(`data:application/pdf;base64,${base64}`)],
    ['base64url', base64.replaceAll('+', '-').replaceAll('/', '_')],
    ['base64url without padding', pdf.toString('base64url')],
    ['without its padding', base64.replace(/=+$/, '')],
    ['a blank in front', ` ${base64}`],
    ['line breaks in front', `\r\n\n${base64}`],
    ['a byte order mark in front', `\ufeff${base64}`],
    ['a blank at the end', `${base64} `],
    ['blanks between lines of 20', spaced(base64, 20)],
    ['one blank', `${base64.slice(0, 16)} ${base64.slice(16)}`],
    ['one blank after 20 characters', `${base64.slice(0, 20)} ${base64.slice(20)}`],
    ['indented lines', base64.replaceAll(/.{20}/g, '$&\r\n    ')],
    ['tabs', base64.replaceAll(/.{20}/g, '$&\t')],
    ['percent-encoding of what URLs do not have', encodeURIComponent(base64)],
    [
      'percent-encoding of everything',
      base64.replaceAll(/./g, (one) => `%${Buffer.from(one).toString('hex')}`),
    ],
  ])('%s', async (_, value) => {
    expect(await readInlineValue(value)).toEqual({ kind: 'file', file, isCanonical: false })
  })

  test('with every byte, in base64url and in a data URL', async () => {
    const bytes = Buffer.concat([pdf, Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))])
    const escaped = bytes
      .toString('latin1')
      .replaceAll(/./gs, (one) => `%${Buffer.from(one, 'latin1').toString('hex')}`)
    for (const value of [bytes.toString('base64url'), `data:application/pdf,${escaped}`]) {
      expect(Buffer.from((await fileIn(value))!.bytes)).toEqual(bytes)
    }
  })

  test.each([
    ['a data URL', `data:application/pdf;base64,${largeBase64}`],
    ['a percent-encoded one', encodeURIComponent(largeBase64)],
    ['base64url in lines', large.toString('base64url').replaceAll(/.{76}/g, '$& ')],
    [
      'a data URL, cut between any two characters',
      `data:image/x,${large.toString('latin1').replaceAll(/%/g, '%25').replaceAll('b', '%62')}`,
    ],
  ])('also a large file, while other work runs: %s', async (_, value) => {
    await expectReadInTurns(value)
  })
})

describe('a value that begins like a file and cannot be decoded has a reason', () => {
  const lost = 'it has blanks, perhaps in place of the character +'
  const unknown = 'it has characters that base64 does not have'
  const after = 'something follows its padding (=)'
  const onePart = Buffer.concat([pdf, Buffer.alloc((512 * 1024 * 3) / 4 - 1 - pdf.length)])
  const insert = (text: string, skipped = 0) =>
    `${base64.slice(0, 16)}${text}${base64.slice(16 + skipped)}`

  test.each([
    ['a cut-off end', base64.slice(0, 37), 'its end is missing'],
    ['bits behind the end', 'JVBERi1=', 'its end is missing'],
    ['words', 'JVBERi0 is how a PDF begins, they say', lost],
    ['a character that the decoder would skip', insert('!'), unknown],
    ['a character whose lowest byte is a letter', insert('\u{141}', 1), unknown],
    ['a broken escape', insert('%2'), unknown],
    ['too much padding', `${base64}====`, 'its end is missing or damaged'],
    ['too little padding', base64.slice(0, -1), 'its end is missing or damaged'],
    ['padding in the middle', `${base64}${base64}`, after],
    [
      'padding in the middle of a large file',
      `${largeBase64.slice(0, -3)}A==${largeBase64}`,
      after,
    ],
    [
      'padding at the end of a part that is decoded',
      `${onePart.toString('base64')}${base64}`,
      after,
    ],
    ['a large file twice', `${largeBase64} ${largeBase64}`, after],
    ['blanks where a form had +', `${base64.slice(0, 36)}+++A`.replaceAll('+', ' '), lost],
  ])('%s', async (_, value, why) => {
    const says = `looks like a PDF file in base64, but cannot be decoded: ${why}. Send`
    await expectUnreadable(value, says)
  })

  test.each([
    [`data:application/pdf;base64,${base64}!`, 'looks like a PDF file in a data: URL, but'],
    [
      'data:application/pdf;base64,',
      'looks like a file in a data: URL, but cannot be decoded: it is empty. Send',
    ],
  ])('%s', async (value, says) => {
    await expectUnreadable(value, says)
  })
})

describe('a file of an unprintable kind is named by its kind', () => {
  const inBase64 = (text: string) => Buffer.from(text).toString('base64')
  const docx = inBase64('PK\x03\x04[Content_Types].xml')
  const behind = 'is a PDF file with other bytes in front of %PDF-'
  const zip = 'is a ZIP archive (Word, Excel, OpenDocument)'

  test.each([
    ['a Word file', docx, `${zip} in base64, which cannot be printed (P103). Send`],
    ['a Word file in a data URL', `data:application/msword;base64,${docx}`, zip],
    ['an old Word file', '0M8R4KGxGuEAAAAAAAAAAAAA', 'is a Word, Excel or PowerPoint file'],
    ['RTF', inBase64('{\\rtf1 Dear}'), 'is an RTF file'],
    ['PostScript', Buffer.from('%!PS-Adobe-3.0').toString('base64url'), 'is a PostScript file'],
    ['WebP', inBase64('RIFF....WEBPVP8 '), 'is a WebP image'],
    ['HEIC', inBase64('\0\0\0\x18ftypheic'), 'is a HEIC image'],
    ['AVIF', inBase64('\0\0\0\x18ftypavif'), 'is an AVIF image'],
    ['HTML', inBase64('\n<!doctype HTML><p>'), 'is an HTML page'],
    ['HTML in a data URL', 'data:text/html,<html><p>Dear', 'is an HTML page in a data: URL'],
    ['SVG', inBase64('<?xml version="1.0"?><svg>'), 'is an SVG image'],
    [
      'text in a data URL',
      'data:text/plain,Dear%20Sir',
      'is a file of an unknown kind in a data: URL',
    ],
    ['a PDF behind a byte order mark', inBase64(`\ufeff${pdf}`), behind],
    ['a PDF behind line breaks', inBase64(`\r\n\r\n${pdf}`), behind],
  ])('%s', async (_, value, says) => {
    await expectUnreadable(value, says)
  })
})

test.each(['lead-bom.pdf', 'lead-newline.pdf'])(
  'a PDF after other bytes breaks the same rule as an uploaded one: %s',
  async (name) => {
    const bytes = readCase(name)
    const read = await readInlineValue(bytes.toString('base64'))
    const [uploaded] = findingsOfStructure('a', readStructure(bytes))

    expect(uploaded).toMatchObject({ rule: 'file-kind', severity: 'refusal' })
    expect(read).toMatchObject({
      kind: 'unreadable',
      says: expect.stringContaining(`cannot be printed (${numberOf(uploaded!.rule)})`),
    })
  },
)

/** Expects the reason to begin with these words. */
async function expectUnreadable(value: string, says: string) {
  const read = await readInlineValue(value)

  expect({ ...read, says: 'says' in read && read.says.slice(0, says.length) }).toEqual({
    kind: 'unreadable',
    says,
  })
}

describe('every other value is text', () => {
  const key = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 89) % 251))

  test.each([
    ['nothing', ''],
    ['a blank', ' '],
    ['words', 'Dear Sir or Madam'],
    ['words that are base64', 'Test'],
    ['None', 'None'],
    ['a UUID', '6e9b8f1c-7c36-4c8e-9a44-0d6f4a1f7c3e'],
    ['a hash', hash('sha512', 'a')],
    ['hashes', hash('sha512', 'a').repeat(4)],
    ['a number', '1234567890'.repeat(60)],
    ['a web token', [key, key, key].map((part) => part.toString('base64url')).join('.')],
    ['many words without a full stop', 'We write to you about Your Licence number 12 '.repeat(20)],
    ['words about data', 'data: as agreed, by post'],
    ['words with a slash about data', 'Data: n/a, none'],
    ['numbers about data', 'DATA: 24/7, always'],
    ['a date about data', 'data:01/02, 03/04'],
    ['a signature that is not base64', '%PDF-1.7'],
    ['letters that begin like a BMP', 'Qk2345678901'],
    ['letters that begin like a JPEG', '/9j'],
    ['a JPEG of three bytes', '/9j/'],
    ['words that begin like a Word file', 'UEsDBBQA, they say, is how one begins'],
    ['less base64 than a file has', key.subarray(0, 180).toString('base64')],
  ])('%s', async (_, value) => {
    expect(await readInlineValue(value)).toEqual({ kind: 'text' })
  })

  test.each([
    ['one line', key.toString('base64')],
    ['lines', key.toString('base64').replaceAll(/.{76}/g, '$&\n')],
    ['base64url', key.toString('base64url')],
    ['no padding, and a line break at the end', `${key.toString('base64').replace(/=+$/, '')}\n`],
  ])('but long base64 is reported: %s', async (_, value) => {
    expect(await readInlineValue(value)).toEqual({ kind: 'long-base64' })
  })

  test('base64 is canonical exactly if encoding the decoded bytes returns it', async () => {
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
        expect(await readInlineValue(value)).toMatchObject(
          isFile ? { kind: 'file', isCanonical: true } : { kind: expect.any(String) },
        )
        if (!isFile) expect(await readInlineValue(value)).not.toHaveProperty('isCanonical', true)
      }),
      { numRuns: byEffort({ landing: 1_000, full: 50_000 }) },
    )
  })
})

async function fileIn(value: string) {
  const read = await readInlineValue(value)
  return read.kind === 'file' ? read.file : undefined
}

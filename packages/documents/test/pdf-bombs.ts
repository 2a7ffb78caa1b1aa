import { constants, deflateSync } from 'node:zlib'
import type { RuleId } from '@despatch/domain/preflight/rules'
import { packPdf, withContent, writePdf } from './write-pdf.ts'

export type PdfBomb = { rule: RuleId | undefined; make: () => Uint8Array }

const MiB = 1024 * 1024
const flate = '/Filter/FlateDecode'

/**
 * Small files that demand much, and large ones exactly at the limits, which pass. Each is made on request, because some
 * have dozens of megabytes.
 */
export const pdfBombs: Readonly<Record<string, PdfBomb>> = {
  ...bombs('pdf-too-complex', {
    'content that decodes to 200 MiB': () => withContent(flate, deflated(200 * MiB)),
    'content that decodes to 200 MiB in two steps': () =>
      withContent('/Filter[/FlateDecode/FlateDecode]', deflateSync(deflated(200 * MiB))),
    'many streams that decode to 600 MiB': () => {
      const stream = { dictionary: flate, data: deflated(60 * MiB) }
      return writePdf({ objects: numbered(10, () => stream) })
    },
    'LZW that decodes to very much': () => withContent('/Filter/LZWDecode', lzwOfZeros(MiB)),
    'run lengths that decode to very much': () =>
      withContent('/Filter/RunLengthDecode', Buffer.alloc(3 * MiB, Uint8Array.of(129, 0))),
    'ASCII85 of run lengths of run lengths': () =>
      // Each five characters encode four bytes, each of which asks for a repetition.
      withContent(
        '/Filter[/ASCII85Decode/RunLengthDecode/RunLengthDecode]',
        `${'K.G3r'.repeat(MiB)}~>`,
      ),
    'an object stream that decodes to 200 MiB': () =>
      packPdf({}, (_, first, count) => objectStream(count, first, deflated(200 * MiB))),
    'a cross-reference stream that decodes to 200 MiB': () =>
      withReferenceStream('/Size 9/W[1 1 1]', deflated(200 * MiB)),
    'a cross-reference stream with entries without end': () =>
      withReferenceStream('/Size 999999999999999/W[1 1 1]', deflated(9)),
    'an object stream of objects without end': () =>
      packPdf({}, (content, first) => objectStream(99_999_999, first, deflateSync(content))),
    'a million arrays within each other': () => writePdf({ objects: { 10: '['.repeat(MiB) } }),
    'a million dictionaries within each other': () =>
      writePdf({ objects: { 10: '<</A'.repeat(MiB) } }),
    'more pages than anybody posts': () =>
      writePdf({ objects: { 2: `<</Type/Pages/Kids[${'3 0 R '.repeat(10_001)}]/Count 10001>>` } }),
    'digits between objects': () => withStray('1'.repeat(5 * MiB)),
    'repeated space between objects': () => withStray(`~${' '.repeat(5 * MiB)}~`),
    'repeated comments between objects': () => withStray(`~${'%'.repeat(5 * MiB)}`),
    'more objects than allowed': () => writePdf({ objects: numbered(200_000, () => '0') }),
    'more values than allowed': () => writePdf({ objects: { 10: `[${'0 '.repeat(1_100_000)}]` } }),
    'a string of 20 MiB': () => writePdf({ objects: { 10: `(${'x'.repeat(20 * MiB)})` } }),
    'very many cross-reference entries': () => withStray(`xref\n${'0 0 n '.repeat(MiB)}\n`),
  }),
  ...bombs('pdf-damaged', {
    'a cross-reference stream with fields without end': () =>
      withReferenceStream('/Size 9/W[1 99999999999 1]', deflated(9)),
    'an object stream that repeats one large object': () => {
      const header = Array.from({ length: 50_000 }, (_, index) => `${index + 10} 0 `).join('')
      const content = `${header}(${'x'.repeat(900_000)})`
      return packPdf({ objects: { 9: objectStream(50_000, header.length, deflateSync(content)) } })
    },
    'a page tree that doubles forty times': () =>
      writePdf({
        objects: {
          2: '<</Type/Pages/Kids[10 0 R 10 0 R]/Count 1>>',
          ...numbered(40, (number) =>
            number === 49
              ? '<</Type/Pages/Kids[3 0 R]/Count 1>>'
              : `<</Type/Pages/Kids[${number + 1} 0 R ${number + 1} 0 R]/Count 1>>`,
          ),
        },
      }),
    'a stream whose length leads back to its own beginning': () => {
      const object = { data: 'q Q' }
      return writePdf({ objects: { 10: object, 11: { data: 'q Q', length: '-74' } } })
    },
    'the repeated word stream': () =>
      writePdf({ content: { data: 'stream '.repeat(5 * MiB), length: '10 0 R' } }),
  }),
  ...bombs(undefined, {
    'streams that decode to 510 MiB, which is still allowed': () => {
      const stream = { dictionary: flate, data: deflated(127 * MiB + 500 * 1024) }
      return writePdf({ objects: numbered(4, () => stream) })
    },
    'a stream whose length is beyond the file': () =>
      writePdf({ content: { data: 'q Q', length: '999999999999999' } }),
    'nearly as many objects as allowed, each with a stream': () => {
      const stream = { dictionary: flate, data: deflated(9) }
      return writePdf({ objects: numbered(180_000, () => stream) })
    },
    'as many values as allowed': () => writePdf({ objects: { 10: `[${'0.5 '.repeat(990_000)}]` } }),
    'as many dictionaries as allowed, packed': () =>
      packPdf({ objects: { 10: `[${'<</A/B>>'.repeat(495_000)}]` } }),
    'strings as long as allowed': () =>
      writePdf({ objects: numbered(30, () => `(${'x'.repeat(MiB - 2)})`) }),
    'a chain of fifty thousand references': () =>
      writePdf({
        page: '/Chain 10 0 R',
        objects: numbered(50_000, (number) => `<</Next ${number + 1} 0 R>>`),
      }),
    'zeros for 90 MiB behind its end': () => Buffer.concat([writePdf(), Buffer.alloc(90 * MiB)]),
    'a stream of 90 MiB whose length is in another object': () =>
      writePdf({ objects: { 10: { data: Buffer.alloc(90 * MiB, 'q Q\n'), length: '99 0 R' } } }),
  }),
}

function bombs(rule: RuleId | undefined, makes: Record<string, () => Uint8Array>) {
  return Object.fromEntries(Object.entries(makes).map(([name, make]) => [name, { rule, make }]))
}

const compressed = new Map<number, Uint8Array>()

function deflated(bytes: number): Uint8Array {
  const known = compressed.get(bytes)
  if (known) return known
  const data = deflateSync(Buffer.alloc(bytes, ' '), { level: constants.Z_BEST_SPEED })
  compressed.set(bytes, data)
  return data
}

function numbered<Each>(count: number, make: (number: number) => Each): Record<number, Each> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [index + 10, make(index + 10)]),
  )
}

function objectStream(count: number, first: number, data: Uint8Array) {
  return { dictionary: `/Type/ObjStm/N ${count}/First ${first}${flate}`, data }
}

function withReferenceStream(says: string, data: Uint8Array): Uint8Array {
  return writePdf({ objects: { 10: { dictionary: `/Type/XRef/Root 1 0 R${says}${flate}`, data } } })
}

function withStray(text: string): Uint8Array {
  const pdf = Buffer.from(writePdf())
  const at = pdf.indexOf('5 0 obj')
  return Buffer.concat([pdf.subarray(0, at), Buffer.from(`${text}\n`), pdf.subarray(at)])
}

/** Codes for longer and longer runs of zeros, then the longest one repeatedly. */
export function lzwOfZeros(bytes: number): Uint8Array {
  const data = Buffer.alloc(bytes)
  let bit = 0
  const write = (code: number, width: number) => {
    for (let at = width - 1; at >= 0; at -= 1, bit += 1) {
      if ((code >> at) & 1) data[bit >> 3]! |= 0x80 >> (bit & 7)
    }
  }
  write(256, 9)
  write(0, 9)
  let size = 258
  const width = () => (size + 1 >= 2048 ? 12 : size + 1 >= 1024 ? 11 : size + 1 >= 512 ? 10 : 9)
  while (bit + 24 <= bytes * 8) {
    write(Math.min(size, 4095), width())
    if (size < 4096) size += 1
  }
  write(257, width())
  return data
}

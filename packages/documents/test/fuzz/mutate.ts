import type { Random } from './random.ts'

const changesMax = 8
const rangeBytesMax = 4096
const fileBytesMax = 2 * 1024 * 1024

/** Words from real files, to insert in wrong places. */
const words = [
  'obj',
  'endobj',
  'stream\n',
  'endstream',
  'xref',
  'trailer',
  'startxref',
  '%%EOF',
  '<<',
  '>>',
  '[',
  ']',
  '(',
  ')',
  '/Type',
  '/ObjStm',
  '/XRef',
  '/Catalog',
  '/Pages',
  '/Page',
  '/Kids',
  '/Parent',
  '/Contents',
  '/Resources',
  '/MediaBox',
  '/Length',
  '/Filter',
  '/FlateDecode',
  '/LZWDecode',
  '/ASCII85Decode',
  '/DCTDecode',
  '/Prev',
  '/Size',
  '/Encrypt',
  '/JS',
  '/AA',
  '/Annots',
  '/N',
  '/First',
  '/W',
  '/Index',
  '/Root',
  'null',
  'R',
  '#',
  '-1',
  '0',
  '65535',
  '2147483648',
  '99999999999999999999',
  '1 0 R',
  '3 0 R',
  '0 0 R',
  '2 0 obj',
  'IHDR',
  'IDAT',
  'IEND',
  'GIF89a',
  '\xff\xd8',
  '\xff\xd9',
  '\xff\xc0',
  'II*\0',
  'MM\0*',
  'BM',
  '%PDF-1.7\n',
  'PK\x03\x04',
] as const
const bytesOfInterest = [0, 1, 0x0a, 0x20, 0x7f, 0x80, 0xfe, 0xff] as const
const numbersOfInterest = [
  '0',
  '-1',
  '1',
  '255',
  '65536',
  '2147483647',
  '4294967296',
  '1e9',
  '0.00001',
  '999999999',
] as const

type Change = (bytes: Buffer, random: Random, other: Buffer) => Buffer

const changes: readonly Change[] = [
  // One bit, one byte, one special byte.
  (bytes, random) => withByte(bytes, random, (byte) => byte ^ (1 << random.below(8))),
  (bytes, random) => withByte(bytes, random, () => random.below(256)),
  (bytes, random) => withByte(bytes, random, () => random.pick(bytesOfInterest)),
  // A whole number of four bytes, as in images.
  (bytes, random) => withByte(bytes, random, () => 0xff, 4),
  // A range deleted, doubled, moved, filled with one byte.
  (bytes, random) => {
    const [from, to] = rangeOf(bytes, random)
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
  },
  (bytes, random) => {
    const [from, to] = rangeOf(bytes, random)
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)])
  },
  (bytes, random) => {
    const [from, to] = rangeOf(bytes, random)
    const at = random.below(bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(from, to), bytes.subarray(at)])
  },
  (bytes, random) => {
    const [from, to] = rangeOf(bytes, random)
    return Buffer.from(bytes).fill(random.below(256), from, to)
  },
  // Truncated; a part of another file inserted.
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random, other) => {
    const [from, to] = rangeOf(other, random)
    const at = random.below(bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, at), other.subarray(from, to), bytes.subarray(at)])
  },
  // A word inserted, a word replaced, a number replaced.
  (bytes, random) => {
    const at = random.below(bytes.length + 1)
    const word = ` ${random.pick(words)} `
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(word, 'latin1'), bytes.subarray(at)])
  },
  (bytes, random) =>
    replaceToken(bytes, random, /\/[A-Za-z]{2,20}|endobj|endstream|stream/g, words),
  (bytes, random) => replaceToken(bytes, random, /\d+/g, numbersOfInterest),
  (bytes, random) =>
    replaceToken(bytes, random, /\d+ 0 R/g, ['1 0 R', '2 0 R', '3 0 R', '4 0 R', '9 0 R']),
]

/** Changes a file in one place or a few. */
export function mutate(original: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let bytes: Buffer = Buffer.from(original)
  const count = random.below(3) === 0 ? 2 + random.below(changesMax - 1) : 1
  for (let left = count; left > 0; left -= 1) {
    bytes = random.pick(changes)(bytes, random, Buffer.from(other))
  }
  return bytes.subarray(0, fileBytesMax)
}

function withByte(
  bytes: Buffer,
  random: Random,
  change: (byte: number) => number,
  count = 1,
): Buffer {
  const changed = Buffer.from(bytes)
  const at = random.below(bytes.length)
  for (let index = at; index < Math.min(at + count, bytes.length); index += 1) {
    changed[index] = change(changed[index]!)
  }
  return changed
}

function rangeOf(bytes: Buffer, random: Random): [from: number, to: number] {
  const from = random.below(bytes.length)
  return [from, Math.min(bytes.length, from + 1 + random.below(rangeBytesMax))]
}

function replaceToken(
  bytes: Buffer,
  random: Random,
  pattern: RegExp,
  replacements: readonly string[],
): Buffer {
  const tokens = [...bytes.toString('latin1').matchAll(pattern)]
  if (tokens.length === 0) return bytes
  const token = random.pick(tokens)
  return Buffer.concat([
    bytes.subarray(0, token.index),
    Buffer.from(random.pick(replacements), 'latin1'),
    bytes.subarray(token.index + token[0].length),
  ])
}

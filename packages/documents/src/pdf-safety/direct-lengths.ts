import { isSpace, skipSpace, startsWith } from './scan-value.ts'

/** A larger file, or one with more objects, is left as it is. */
const fileBytesMax = 16 * 1024 * 1024
const objectsMax = 200_000
/** A length that another object states, and how such an object ends. */
const indirectLength = /^\/Length[\0\t\n\f\r ]+(\d{1,10})[\0\t\n\f\r ]+(\d{1,5})[\0\t\n\f\r ]+R/
const lengthBytesMax = 64
const numbers = /(?:^|[\0\t\n\f\r ])(\d{1,10})[\0\t\n\f\r ]+(\d{1,5})[\0\t\n\f\r ]+$/
const numbersBytesMax = 32
const wholeNumber = /^[\0\t\n\f\r ]+(\d{1,10})[\0\t\n\f\r ]+endobj/

/**
 * Returns the file with the lengths of some streams written into them, in the place of the reference to the object that
 * states them. pdf-lib does not follow the reference: it looks for the word that ends a stream, and takes the word
 * `stream` in a text for the begin of another one. Only those streams are changed, and only if one object alone can be
 * meant and the stream ends there. Nothing moves. Returns `bytes` itself if there is no such stream.
 */
export function withDirectLengths(bytes: Uint8Array): Uint8Array {
  if (bytes.length > fileBytesMax) return bytes
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const lengths = readLengths(text)
  let changed: Buffer | undefined
  const nextStream = createFinder(text, 'stream')
  const nextInside = createFinder(text, 'stream')
  for (let at = text.indexOf('/Length'); at >= 0; at = text.indexOf('/Length', at + 7)) {
    const found = indirectLength.exec(text.toString('latin1', at, at + lengthBytesMax))
    if (!found) continue
    const stream = nextStream(at)
    if (stream < 0) break
    const from = startOfData(text, stream)
    const length = lengths.get(`${Number(found[1])} ${Number(found[2])}`)
    const inside = nextInside(from)
    if (length === undefined || inside < 0 || inside >= from + length) continue
    if (!endsAt(text, from + length)) continue
    const stated = String(length).padEnd(found[0].length - '/Length '.length)
    if (stated.length > found[0].length - '/Length '.length) continue
    changed ??= Buffer.from(text)
    changed.write(`/Length ${stated}`, at, 'latin1')
  }
  return changed ?? bytes
}

/** Returns the whole numbers that are objects, by number and generation. A number that two objects have is left out. */
function readLengths(text: Buffer): ReadonlyMap<string, number | undefined> {
  const lengths = new Map<string, number | undefined>()
  let objects = 0
  for (let at = text.indexOf('obj'); at >= 0; at = text.indexOf('obj', at + 3)) {
    const before = numbers.exec(text.toString('latin1', Math.max(0, at - numbersBytesMax), at))
    if (!before) continue
    objects += 1
    if (objects > objectsMax) return new Map()
    const key = `${Number(before[1])} ${Number(before[2])}`
    const value = wholeNumber.exec(text.toString('latin1', at + 3, at + 3 + numbersBytesMax))
    lengths.set(key, lengths.has(key) || !value ? undefined : Number(value[1]))
  }
  return lengths
}

/** Returns a function that finds a word at or behind places that ascend. Each byte is read once. */
function createFinder(text: Buffer, word: string): (from: number) => number {
  let found = -2
  return (from) => {
    if (found !== -1 && found < from) found = text.indexOf(word, from)
    return found
  }
}

function startOfData(text: Buffer, stream: number): number {
  const from = stream + 'stream'.length
  if (text[from] === 0x0d && text[from + 1] === 0x0a) return from + 2
  return isSpace[text[from]!] === 1 ? from + 1 : from
}

function endsAt(bytes: Uint8Array, at: number): boolean {
  const cursor = { bytes, at }
  skipSpace(cursor)
  return startsWith(cursor, 'endstream')
}

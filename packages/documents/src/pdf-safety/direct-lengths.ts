import { isSpace, skipSpace, skipWord, startsWith } from './scan-value.ts'

/** In a file with more places that may begin an object, no length is looked up. */
const placesMax = 400_000
/** A length that another object states. */
const indirectLength = /^\/Length[\0\t\n\f\r ]+(\d{1,10})[\0\t\n\f\r ]+(\d{1,5})[\0\t\n\f\r ]+R/
const lengthBytesMax = 64
/** What is before and behind the word `obj` of an object that is a whole number. */
const numbers = /(?:^|[\0\t\n\f\r ])(\d{1,10})[\0\t\n\f\r ]+(\d{1,5})[\0\t\n\f\r ]+$/
const numbersBytesMax = 32
const wholeNumber = /^[\0\t\n\f\r ]+(\d{1,10})[\0\t\n\f\r ]+endobj/
const letterD = 0x64

/**
 * Returns the file with the lengths of some streams written into them, in the place of the reference to the object that
 * states them. pdf-lib does not follow the reference: it looks for the word that ends a stream. It cuts a stream off
 * whose text has that word, and takes the word `stream` for the begin of another one. Only such streams are changed, and
 * only if one object alone can be meant and the stream ends there. Nothing moves. Returns `bytes` itself if there is no
 * such stream.
 */
export function withDirectLengths(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const nextStream = createFinder(text)
  const nextInside = createFinder(text)
  let lengths: ReadonlyMap<string, number | undefined> | undefined
  let changed: Buffer | undefined
  for (let at = text.indexOf('/Length'); at >= 0; at = text.indexOf('/Length', at + 7)) {
    const found = indirectLength.exec(text.toString('latin1', at, at + lengthBytesMax))
    if (!found) continue
    const stream = nextStream(at)
    if (stream < 0) break
    const from = startOfData(text, stream)
    if (isEnd(text, nextInside(from))) continue
    lengths ??= readLengths(text)
    const length = lengths.get(`${Number(found[1])} ${Number(found[2])}`)
    const room = found[0].length - '/Length '.length
    if (length === undefined || String(length).length > room) continue
    if (!endsAt(text, from + length)) continue
    changed ??= Buffer.from(text)
    changed.write(`/Length ${String(length).padEnd(room)}`, at, 'latin1')
  }
  return changed ?? bytes
}

/** Returns whether the word `stream` here is part of the end of the stream and of its object. */
function isEnd(bytes: Uint8Array, stream: number): boolean {
  const cursor = { bytes, at: stream - 'end'.length }
  if (stream < 0 || !skipWord(cursor, 'endstream')) return false
  skipSpace(cursor)
  return startsWith(cursor, 'endobj')
}

/** Returns the whole numbers that are objects, by number and generation. A number that two objects have is left out. */
function readLengths(text: Buffer): ReadonlyMap<string, number | undefined> {
  const lengths = new Map<string, number | undefined>()
  let places = 0
  for (let at = text.indexOf('obj'); at >= 0; at = text.indexOf('obj', at + 3)) {
    if (text[at - 1] === letterD) continue
    places += 1
    if (places > placesMax) return new Map()
    const before = numbers.exec(text.toString('latin1', Math.max(0, at - numbersBytesMax), at))
    if (!before) continue
    const key = `${Number(before[1])} ${Number(before[2])}`
    const value = wholeNumber.exec(text.toString('latin1', at + 3, at + 3 + numbersBytesMax))
    lengths.set(key, lengths.has(key) || !value ? undefined : Number(value[1]))
  }
  return lengths
}

/** Returns a function that finds the word `stream` at or behind places that ascend. Each byte is read once. */
function createFinder(text: Buffer): (from: number) => number {
  let found = -2
  return (from) => {
    if (found !== -1 && found < from) found = text.indexOf('stream', from)
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

import { inflateRawSync, inflateSync } from 'node:zlib'
import { flateWindow, isCutShort, isTooLong, withFinalBlock } from './flate.ts'
import {
  type Budget,
  type Cursor,
  decodeName,
  type Entries,
  scanInteger,
  scanValue,
  skipSpace,
  startsWith,
  textOf,
} from './scan-value.ts'
import { damaged, tooComplex } from './unsafe-pdf.ts'

/** An object of an object stream: its number, and its position in the decoded stream. */
type PackedObject = { objectNumber: number; content: Uint8Array; from: number; to: number }

/** A stream that describes the structure of a file, with its dictionary and the file. */
export type StructureStream = {
  bytes: Uint8Array
  entries: Entries
  contents: Uint8Array
  budget: Budget
}

const structureChunkBytes = 64 * 1024
export const odd = 'The PDF is damaged: one of its object or cross-reference streams is not valid.'

/**
 * Scans the objects in an object stream. pdf-lib unpacks such streams while it opens a file, as often as they say. So
 * overlapping objects and disproportionate sizes are refused here. Throws UnsafePdf.
 */
export function scanObjectStream(stream: StructureStream): PackedObject[] {
  const { budget } = stream
  const count = readInteger(stream, 'N')
  const first = readInteger(stream, 'First')
  const { objectsMax } = budget.limits
  budget.objects += count
  if (budget.objects > objectsMax) throw tooManyObjects(budget)

  const content = decodeStructure(stream)
  const cursor: Cursor = { bytes: content, at: 0 }
  const places = Array.from({ length: count }, () => {
    skipSpace(cursor)
    const objectNumber = scanInteger(cursor)
    skipSpace(cursor)
    return { objectNumber, from: first + scanInteger(cursor) }
  })
  let scanned = 0
  return places.map(({ objectNumber, from }) => {
    cursor.at = from
    if (scanValue(cursor, budget) === 'dictionary') {
      skipSpace(cursor)
      if (startsWith(cursor, 'stream')) throw damaged(odd)
    }
    scanned += cursor.at - from
    // White space after an object counts as its own, and some files list objects out of order.
    if (scanned > 2 * content.length) throw damaged(odd)
    return { objectNumber, content, from, to: cursor.at }
  })
}

export function countReferenceEntries(budget: Budget, count: number): void {
  budget.referenceEntries += count
  const { referenceEntriesMax } = budget.limits
  if (budget.referenceEntries > referenceEntriesMax) {
    throw tooComplex(`more than ${referenceEntriesMax} cross-reference entries`)
  }
}

export function tooManyObjects({ objects, limits: { objectsMax } }: Budget): Error {
  return tooComplex(`more than ${objectsMax} objects`, {
    unit: 'objects',
    value: objects,
    max: objectsMax,
  })
}

/** Returns the value of a key that is a name, or undefined if it is absent. */
export function readName(
  { bytes, entries }: Pick<StructureStream, 'bytes' | 'entries'>,
  key: string,
) {
  const text = readText(bytes, entries, key)
  if (text === undefined) return undefined
  if (!text.startsWith('/')) throw damaged(odd)
  return decodeName(text.slice(1))
}

export function readText(bytes: Uint8Array, entries: Entries, key: string): string | undefined {
  const place = entries.get(key)
  return (
    place &&
    textOf(bytes, place.from, place.to)
      .replaceAll(/[\0\t\n\f\r ]+/g, ' ')
      .trim()
  )
}

export function readInteger({ bytes, entries }: StructureStream, key: string): number {
  const text = readText(bytes, entries, key)
  if (!text || !/^\d{1,15}$/.test(text)) throw damaged(odd)
  return Number(text)
}

export function readIntegers({ bytes, entries }: StructureStream, key: string): number[] {
  const text = readText(bytes, entries, key)
  if (!text || !/^\[(?: ?\d{1,15})* ?\]$/.test(text)) throw damaged(odd)
  return text.slice(1, -1).split(' ').filter(Boolean).map(Number)
}

/**
 * Decodes a stream that pdf-lib decodes while it opens a file. It must be uncompressed or use the one usual filter, and
 * stay within the limit.
 */
export function decodeStructure({ bytes, entries, contents, budget }: StructureStream): Uint8Array {
  const filter = readText(bytes, entries, 'Filter')
  const isPlain = filter === undefined || /^\[ ?\]$/.test(filter)
  if (!isPlain && !/^(?:\/FlateDecode|\[ ?\/FlateDecode ?\])$/.test(filter)) throw damaged(odd)

  const { structureBytesMax } = budget.limits
  const decoded = isPlain ? contents : inflate(contents, structureBytesMax)
  budget.structureBytes += decoded.length
  if (budget.structureBytes > structureBytesMax) throw tooLarge(structureBytesMax)
  return decoded
}

function inflate(contents: Uint8Array, bytesMax: number): Uint8Array {
  const options = { ...flateWindow, maxOutputLength: bytesMax, chunkSize: structureChunkBytes }
  try {
    return inflateSync(contents, options)
  } catch (error) {
    if (isTooLong(error)) throw tooLarge(bytesMax)
    try {
      // Only the checksum after the data may be cut off, by an end of line that is not one, or be left out.
      if (!isCutShort(error)) throw error
      return inflateRawSync(withFinalBlock(contents).subarray(2), options)
    } catch {
      throw damaged(odd)
    }
  }
}

function tooLarge(bytesMax: number): Error {
  return tooComplex(`object streams that decode to more than ${bytesMax / 1024 / 1024} MiB`)
}

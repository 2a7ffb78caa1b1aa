import { checkObjectNumber, findObjectHeader, keyOf, scanObjectHeader } from './object-header.ts'
import type { PdfLimits } from './pdf-limits.ts'
import { scanReferenceStream } from './reference-stream.ts'
import { checkPlaces, noPlaces, noteSection, type Places, scanSection } from './scan-sections.ts'
import {
  type Budget,
  type Cursor,
  type Entries,
  isAtDigit,
  scanInteger,
  scanValue,
  skipSpace,
  skipWord,
  startsWith,
} from './scan-value.ts'
import { readName, readText, scanObjectStream, tooManyObjects } from './structure-stream.ts'
import { damaged } from './unsafe-pdf.ts'

/** The text of one object, without its number. */
export type ObjectText = { bytes: Uint8Array; from: number; to: number }

/** The objects that later ones replace, and the number of all others. */
type ScannedFile = { replaced: ObjectText[]; objects: number }

type Scan = {
  cursor: Cursor
  budget: Budget
  /** By object number and generation: the last one in the file, which is the one that pdf-lib keeps. */
  objects: Map<number, ObjectText>
  replaced: ObjectText[]
  places: Places
}

/** Largest header of an object among stray bytes, with its white space and comments. */
const headerBytesMax = 4_096

/**
 * Scans a whole file before pdf-lib opens it, in the same steps as pdf-lib's parser. Checks every limit before anything
 * is allocated, so that no file makes pdf-lib loop, recurse or decode without limit. Returns the objects that later
 * ones replace, because pdf-lib ignores them and other readers may not. Throws UnsafePdf.
 */
export function scanFile(bytes: Uint8Array, limits: PdfLimits): ScannedFile {
  const scan: Scan = {
    cursor: { bytes, at: 0 },
    budget: {
      limits,
      objects: 0,
      values: 0,
      referenceEntries: 0,
      strayBytes: 0,
      structureBytes: 0,
    },
    objects: new Map(),
    replaced: [],
    places: noPlaces(),
  }
  scanHeader(scan.cursor)
  let isFirst = true
  while (scan.cursor.at < bytes.length) {
    const from = scan.cursor.at
    scanObjects(scan)
    scanSection(scan.cursor, scan.budget, scan.places)
    skipStrayBytes(scan)
    if (scan.cursor.at === from && !isFirst) throw damaged()
    isFirst = false
  }
  checkPlaces(bytes, scan.places)
  return { replaced: scan.replaced, objects: scan.objects.size }
}

function scanHeader(cursor: Cursor): void {
  if (!startsWith(cursor, '%PDF-')) throw damaged()
  cursor.at += 5
  scanInteger(cursor)
  if (!startsWith(cursor, '.')) throw damaged()
  cursor.at += 1
  scanInteger(cursor)
  skipSpace(cursor)
  if (isAtObject(cursor)) return
  cursor.at += 1
  skipSpace(cursor)
}

function scanObjects(scan: Scan): void {
  const { cursor } = scan
  skipSpace(cursor)
  while (isAtDigit(cursor)) {
    scanObject(scan)
    skipSpace(cursor)
    skipStrayBytes(scan)
  }
}

function scanObject(scan: Scan): void {
  const { cursor, budget } = scan
  const { bytes } = cursor
  const sectionFrom = cursor.at
  scan.places.objects.add(sectionFrom)
  const { objectNumber, generation } = scanObjectHeader(cursor)
  budget.objects += 1
  if (budget.objects > budget.limits.objectsMax) throw tooManyObjects(budget)

  skipSpace(cursor)
  const from = cursor.at
  const entries: Entries = new Map()
  if (scanValue(cursor, budget, entries) === 'dictionary') {
    skipSpace(cursor)
    const to = cursor.at
    const contents = scanContents(cursor, entries)
    remember(scan, keyOf(objectNumber, generation), { bytes, from, to })
    if (contents) scanStructure(scan, { sectionFrom, entries, contents })
  } else remember(scan, keyOf(objectNumber, generation), { bytes, from, to: cursor.at })

  skipSpace(cursor)
  skipWord(cursor, 'endobj')
}

function remember({ objects, replaced }: Scan, key: number, text: ObjectText): void {
  const earlier = objects.get(key)
  if (earlier) replaced.push(earlier)
  objects.set(key, text)
}

function scanStructure(
  scan: Scan,
  stream: { sectionFrom: number; entries: Entries; contents: Uint8Array },
): void {
  const { budget, cursor } = scan
  const { entries, contents, sectionFrom } = stream
  const type = readName({ bytes: cursor.bytes, entries }, 'Type')
  const structure = { bytes: cursor.bytes, entries, contents, budget }
  if (type === 'ObjStm') {
    for (const { objectNumber, content, from, to } of scanObjectStream(structure)) {
      checkObjectNumber(objectNumber, 0)
      remember(scan, keyOf(objectNumber, 0), { bytes: content, from, to })
    }
  } else if (type === 'XRef') {
    for (const place of scanReferenceStream(structure)) scan.places.stated.add(place)
    noteSection(scan.places, { bytes: cursor.bytes, from: sectionFrom, entries })
  }
}

/** Returns the raw contents if the dictionary before the cursor belongs to a stream, otherwise undefined. */
function scanContents(cursor: Cursor, entries: Entries): Uint8Array | undefined {
  if (!skipWord(cursor, 'stream')) return undefined
  const endOfLine = [' \r\n', '\r\n', '\r', '\n'].find((end) => startsWith(cursor, end)) ?? ''
  cursor.at += endOfLine.length

  const { bytes } = cursor
  const from = cursor.at
  const stated = readText(bytes, entries, 'Length')
  if (stated !== undefined && /^\d{1,15}$/.test(stated)) {
    const end = from + Number(stated)
    cursor.at = end
    skipSpace(cursor)
    if (end <= bytes.length && skipWord(cursor, 'endstream')) return bytes.subarray(from, end)
  } else if (stated !== undefined && !/^\d{1,15} \d{1,15} ?R$/.test(stated)) throw damaged()

  cursor.at = findStreamEnd(bytes, from)
  const end = cursor.at - 'endstream'.length
  const isWide = bytes[end - 2] === 0x0d && bytes[end - 1] === 0x0a
  const isNarrow = bytes[end - 1] === 0x0d || bytes[end - 1] === 0x0a
  return bytes.subarray(from, Math.max(from, end - (isWide ? 2 : isNarrow ? 1 : 0)))
}

/**
 * Returns the place after the `endstream` that closes the stream. Like pdf-lib, it counts each nested `stream` as one
 * that has its own end.
 */
function findStreamEnd(bytes: Uint8Array, from: number): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let depth = 1
  let cursor = from
  for (;;) {
    const at = text.indexOf('stream', cursor, 'latin1')
    if (at < 0) throw damaged()
    const isEnd = at - 3 >= cursor && startsWith({ bytes, at: at - 3 }, 'end')
    depth += isEnd ? -1 : 1
    cursor = at + 6
    if (depth === 0) return cursor
  }
}

/**
 * pdf-lib tries every stray byte as the start of an object, and each time skips all white space and comments after it.
 */
function skipStrayBytes({ cursor, budget }: Scan): void {
  skipSpace(cursor)
  while (cursor.at < cursor.bytes.length && !isAtSection(cursor)) {
    cursor.at += 1
    budget.strayBytes += 1
    if (budget.strayBytes > budget.limits.strayBytesMax) {
      throw damaged('The PDF is damaged: bytes between its objects belong to no object.')
    }
  }
}

function isAtSection(cursor: Cursor): boolean {
  const byte = cursor.bytes[cursor.at]!
  if (byte < 0x20 || byte > 0x7e) return false
  return (
    ['xref', 'trailer', 'startxref'].some((word) => startsWith(cursor, word)) || isAtObject(cursor)
  )
}

function isAtObject({ bytes, at }: Cursor): boolean {
  return findObjectHeader(bytes, at, headerBytesMax) !== undefined
}

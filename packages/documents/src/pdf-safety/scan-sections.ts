import { findObjectHeader } from './object-header.ts'
import {
  type Budget,
  type Cursor,
  type Entries,
  isAtDigit,
  isSpace,
  scanInteger,
  scanValue,
  skipSpace,
  skipWord,
  startsWith,
} from './scan-value.ts'
import { countReferenceEntries, readText } from './structure-stream.ts'
import { damaged, encrypted } from './unsafe-pdf.ts'

/** Where the parts of a file are, and where the file says they are. */
export type Places = {
  /** Where objects begin, as pdf-lib finds them. */
  objects: Set<number>
  /** Start of each cross-reference section, mapped to the start that it states for the section before it. */
  sections: Map<number, number | undefined>
  lastSection: number
  /** Where cross-reference sections say that objects and other sections begin. */
  stated: Set<number>
}

/** Largest white space and comments between a stated place and an object. */
const gapBytesMax = 1_024

export function noPlaces(): Places {
  return { objects: new Set(), sections: new Map(), lastSection: 0, stated: new Set() }
}

/** Scans a cross-reference table, its trailer and the end mark, each if present. */
export function scanSection(cursor: Cursor, budget: Budget, places: Places): void {
  scanReferenceTable(cursor, budget, places)
  scanTrailer(cursor, budget, places)
  scanStart(cursor, places)
}

/** Records a trailer. A cross-reference stream is one too. Throws UnsafePdf if it says that the PDF is encrypted. */
export function noteSection(
  places: Places,
  { bytes, from, entries }: { bytes: Uint8Array; from: number; entries: Entries },
): void {
  const encryption = readText(bytes, entries, 'Encrypt')
  if (encryption !== undefined && encryption !== 'null') throw encrypted()
  const previous = readPlace(bytes, entries, 'Prev')
  places.sections.set(from, previous)
  for (const place of [previous, readPlace(bytes, entries, 'XRefStm')]) {
    if (place !== undefined) places.stated.add(place)
  }
}

/**
 * Ensures that readers that use the cross-reference sections find the same objects as pdf-lib, which reads the file
 * from start to end. No stated place may be an object or section inside something else, and no section may lead back to
 * itself. Throws UnsafePdf.
 */
export function checkPlaces(bytes: Uint8Array, places: Places): void {
  for (const at of places.stated) {
    if (at >= bytes.length || places.objects.has(at) || places.sections.has(at)) continue
    const object = findObjectHeader(bytes, at, gapBytesMax)
    const isHidden = object !== undefined && !places.objects.has(object)
    if (isHidden || isHiddenSection(bytes, at, places)) {
      throw damaged(
        'The PDF is damaged: its cross-references point into the middle of another object.',
      )
    }
  }
  checkRing(places.sections)
}

function isHiddenSection(bytes: Uint8Array, at: number, { sections }: Places): boolean {
  const cursor: Cursor = { bytes: bytes.subarray(at, at + gapBytesMax), at: 0 }
  skipSpace(cursor)
  return startsWith(cursor, 'xref') && !sections.has(at + cursor.at)
}

function checkRing(sections: Places['sections']): void {
  const checked = new Set<number>()
  for (const from of sections.keys()) {
    const path = new Set<number>()
    let at: number | undefined = from
    while (at !== undefined && !checked.has(at)) {
      if (path.has(at)) {
        throw damaged('The PDF is damaged: its cross-reference sections are circular.')
      }
      path.add(at)
      at = sections.get(at)
    }
    for (const each of path) checked.add(each)
  }
}

function scanReferenceTable(cursor: Cursor, budget: Budget, places: Places): void {
  skipSpace(cursor)
  const from = cursor.at
  if (!skipWord(cursor, 'xref')) return
  countReferenceEntries(budget, 1)
  places.sections.set(from, undefined)
  places.lastSection = from
  skipSpace(cursor)
  while (isAtDigit(cursor)) {
    const first = scanInteger(cursor)
    skipSpace(cursor)
    if (!isAtDigit(cursor)) break
    scanInteger(cursor)
    skipSpace(cursor)
    const isUsed = skipWord(cursor, 'n')
    if (isUsed) places.stated.add(first)
    if (isUsed || skipWord(cursor, 'f')) countReferenceEntries(budget, 1)
    skipSpace(cursor)
  }
}

function scanTrailer(cursor: Cursor, budget: Budget, places: Places): void {
  skipSpace(cursor)
  if (!skipWord(cursor, 'trailer')) return
  skipSpace(cursor)
  const entries: Entries = new Map()
  if (scanValue(cursor, budget, entries) !== 'dictionary') throw damaged()
  noteSection(places, { bytes: cursor.bytes, from: places.lastSection, entries })
}

function scanStart(cursor: Cursor, places: Places): void {
  skipSpace(cursor)
  if (!skipWord(cursor, 'startxref')) return
  skipSpace(cursor)
  places.stated.add(scanInteger(cursor))
  // For pdf-lib, the text after the end mark on its line is not a comment.
  while (isSpace[cursor.bytes[cursor.at]!] === 1) cursor.at += 1
  skipWord(cursor, '%%EOF')
  skipSpace(cursor)
}

function readPlace(bytes: Uint8Array, entries: Entries, key: string): number | undefined {
  const text = readText(bytes, entries, key)
  return text && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

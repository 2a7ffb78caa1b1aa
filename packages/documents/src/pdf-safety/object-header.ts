import {
  type Cursor,
  isAtDigit,
  scanInteger,
  skipSpace,
  skipWord,
  startsWith,
} from './scan-value.ts'
import { damaged, tooComplex } from './unsafe-pdf.ts'

/** The largest object number (ISO 32000, annex C). */
const objectNumberMax = 8_388_607
const generationMax = 65_535

/** Skips `12 0 obj`. Throws UnsafePdf if there is none or its numbers are out of range. */
export function scanObjectHeader(cursor: Cursor): { objectNumber: number; generation: number } {
  skipSpace(cursor)
  const objectNumber = scanInteger(cursor)
  skipSpace(cursor)
  const generation = scanInteger(cursor)
  skipSpace(cursor)
  if (!skipWord(cursor, 'obj')) throw damaged()
  checkObjectNumber(objectNumber, generation)
  return { objectNumber, generation }
}

export function checkObjectNumber(objectNumber: number, generation: number): void {
  const isKnown = objectNumber > 0 && objectNumber <= objectNumberMax
  if (!isKnown || generation > generationMax) throw damaged()
}

/** Returns one number for both, unique to the object. */
export function keyOf(objectNumber: number, generation: number): number {
  return objectNumber * (generationMax + 1) + generation
}

/**
 * Returns where the object at this place begins, after white space and comments, or undefined if there is none. Only
 * the form counts: an object whose number is out of range is unreadable rather than absent.
 */
export function findObjectHeader(
  bytes: Uint8Array,
  at: number,
  bytesMax: number,
): number | undefined {
  const ahead: Cursor = { bytes: bytes.subarray(at, at + bytesMax), at: 0 }
  skipSpace(ahead)
  const from = at + ahead.at
  const isNumbered = skipDigits(ahead) && skipDigits(ahead)
  skipSpace(ahead)
  if (ahead.at >= bytesMax) throw tooComplex('too much space or comment before an object')
  return isNumbered && startsWith(ahead, 'obj') ? from : undefined
}

function skipDigits(cursor: Cursor): boolean {
  skipSpace(cursor)
  const from = cursor.at
  while (isAtDigit(cursor)) cursor.at += 1
  return cursor.at > from
}

import type { PdfLimits } from './pdf-limits.ts'
import { damaged, tooComplex } from './unsafe-pdf.ts'

export type Cursor = { readonly bytes: Uint8Array; at: number }

/** What the scan of one file has used of its limits. */
export type Budget = {
  readonly limits: PdfLimits
  objects: number
  values: number
  referenceEntries: number
  strayBytes: number
  structureBytes: number
}

/** Position of each key's value in a dictionary. A repeated key has its last value, as in pdf-lib. */
export type Entries = Map<string, { from: number; to: number }>

const nameBytesMax = 1_024
const numberBytesMax = 64
/** A number with at most this many digits is always exact. */
const exactDigitsMax = 15

export const isSpace = tableOf('\0\t\n\f\r ')
const isDelimiter = tableOf('()<>[]{}/%')
const isDigit = tableOf('0123456789')
const isNumeric = tableOf('0123456789+-.')

const [lessThan, greaterThan, openBracket, closeBracket, openParenthesis, closeParenthesis] = codes(
  '<>[]()',
) as [number, number, number, number, number, number]
const [slash, backslash, percent, lineFeed, carriageReturn, period, letterR] = codes(
  '/\\%\n\r.R',
) as [number, number, number, number, number, number, number]

/**
 * Scans one value as pdf-lib's parser would, without creating objects and without recursion. So pdf-lib reads a file
 * that passes in bounded time and memory. Records the entries of a dictionary if requested. Throws UnsafePdf.
 */
export function scanValue(
  cursor: Cursor,
  budget: Budget,
  entries?: Entries,
): 'dictionary' | 'other' {
  const { nestingMax } = budget.limits
  const open: ('array' | 'dictionary')[] = []
  let kind: 'dictionary' | 'other' = 'other'
  let pending: { key: string; from: number } | undefined

  for (;;) {
    skipSpace(cursor)
    const opened = scanStart(cursor, budget)
    if (opened) {
      if (open.length === 0 && opened === 'dictionary') kind = 'dictionary'
      open.push(opened)
      if (open.length > nestingMax) {
        throw tooComplex(`arrays and dictionaries more than ${nestingMax} deep within each other`)
      }
      skipSpace(cursor)
    }
    for (;;) {
      if (open.length === 1 && pending) {
        entries?.set(pending.key, { from: pending.from, to: cursor.at })
        pending = undefined
      }
      const inner = open.at(-1)
      if (!inner) return kind
      skipSpace(cursor)
      if (inner === 'array') {
        if (cursor.bytes[cursor.at] !== closeBracket) break
        cursor.at += 1
      } else {
        if (!isDictionaryEnd(cursor)) {
          const key = scanName(cursor)
          if (open.length === 1 && entries) pending = { key: key(), from: cursor.at }
          break
        }
        cursor.at += 2
        if (open.length > 1) refuseStream(cursor)
      }
      open.pop()
    }
  }
}

/** Skips white space and comments. */
export function skipSpace(cursor: Cursor): void {
  const { bytes } = cursor
  let at = cursor.at
  for (;;) {
    while (isSpace[bytes[at]!] === 1) at += 1
    if (bytes[at] !== percent) break
    while (at < bytes.length && bytes[at] !== lineFeed && bytes[at] !== carriageReturn) at += 1
  }
  cursor.at = at
}

/** Reads a whole number without a sign. Throws UnsafePdf if there is none. */
export function scanInteger(cursor: Cursor): number {
  const from = cursor.at
  while (isDigit[cursor.bytes[cursor.at]!] === 1) cursor.at += 1
  const digits = cursor.at - from
  if (digits === 0 || digits > exactDigitsMax) throw damaged()
  return Number(textOf(cursor.bytes, from, cursor.at))
}

export function startsWith(cursor: Cursor, word: string): boolean {
  for (let index = 0; index < word.length; index += 1) {
    if (cursor.bytes[cursor.at + index] !== word.charCodeAt(index)) return false
  }
  return true
}

/** Skips a word if it is here. Returns whether it was. */
export function skipWord(cursor: Cursor, word: string): boolean {
  if (!startsWith(cursor, word)) return false
  cursor.at += word.length
  return true
}

export function isAtDigit({ bytes, at }: Cursor): boolean {
  return isDigit[bytes[at]!] === 1
}

export function textOf(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1')
}

/** A name may spell each character as `#xx`, and pdf-lib decodes the result a second time. */
export function decodeName(text: string): string {
  if (!text.includes('#')) return text
  const decode = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))
  return text.replace(/#([\dA-Fa-f]{2})/g, decode).replace(/#([\dA-F]{2})/g, decode)
}

/** Skips a simple value, or enters a dictionary or array and returns which. */
function scanStart(cursor: Cursor, budget: Budget): 'array' | 'dictionary' | undefined {
  const { bytes } = cursor
  budget.values += 1
  if (budget.values > budget.limits.valuesMax) {
    throw tooComplex(`more than ${budget.limits.valuesMax} values in its objects`)
  }
  const byte = bytes[cursor.at]!
  if (byte === openBracket) {
    cursor.at += 1
    return 'array'
  }
  if (byte === lessThan) {
    if (bytes[cursor.at + 1] === lessThan) {
      cursor.at += 2
      return 'dictionary'
    }
    scanHexString(cursor, budget)
  } else if (byte === slash) scanName(cursor)
  else if (byte === openParenthesis) scanString(cursor, budget)
  else if (isNumeric[byte] === 1) scanNumberOrReference(cursor)
  else scanWord(cursor)
  return undefined
}

function scanWord(cursor: Cursor): void {
  const word = ['true', 'false', 'null'].find((each) => startsWith(cursor, each))
  if (!word) throw damaged()
  cursor.at += word.length
}

function scanHexString(cursor: Cursor, budget: Budget): void {
  const end = cursor.bytes.indexOf(greaterThan, cursor.at)
  if (end < 0) throw damaged()
  checkString(end - cursor.at, budget)
  cursor.at = end + 1
}

function scanString(cursor: Cursor, budget: Budget): void {
  const { bytes } = cursor
  const from = cursor.at
  let depth = 0
  let isEscaped = false
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (!isEscaped && byte === openParenthesis) depth += 1
    if (!isEscaped && byte === closeParenthesis) depth -= 1
    isEscaped = byte === backslash && !isEscaped
    if (depth === 0) {
      checkString(at - from, budget)
      cursor.at = at + 1
      return
    }
  }
  throw damaged()
}

function checkString(length: number, { limits: { stringBytesMax } }: Budget): void {
  if (length > stringBytesMax) {
    throw tooComplex(`a string of more than ${stringBytesMax} bytes`, {
      unit: 'bytes',
      value: length,
      max: stringBytesMax,
    })
  }
}

function scanName(cursor: Cursor): () => string {
  const { bytes } = cursor
  if (bytes[cursor.at] !== slash) throw damaged()
  const from = cursor.at + 1
  let at = from
  while (at < bytes.length && isSpace[bytes[at]!] !== 1 && isDelimiter[bytes[at]!] !== 1) at += 1
  if (at - from > nameBytesMax) throw tooComplex(`a name of more than ${nameBytesMax} bytes`)
  cursor.at = at
  return () => decodeName(textOf(bytes, from, at))
}

function scanNumberOrReference(cursor: Cursor): void {
  scanNumber(cursor)
  skipSpace(cursor)
  const behind = cursor.at
  if (!isAtDigit(cursor)) return
  scanNumber(cursor)
  skipSpace(cursor)
  if (cursor.bytes[cursor.at] === letterR) cursor.at += 1
  else cursor.at = behind
}

function scanNumber(cursor: Cursor): void {
  const { bytes } = cursor
  const from = cursor.at
  let at = from
  while (isNumeric[bytes[at]!] === 1 && bytes[at] !== period) at += 1
  if (bytes[at] === period) at += 1
  while (isDigit[bytes[at]!] === 1) at += 1
  cursor.at = at
  if (at - from <= exactDigitsMax) return
  // pdf-lib logs a line for each number with more digits than it can represent.
  const isExact =
    at - from <= numberBytesMax &&
    Math.abs(Number(textOf(bytes, from, at))) <= Number.MAX_SAFE_INTEGER
  if (!isExact) throw damaged('The PDF is damaged: it has a number with too many digits.')
}

/** pdf-lib requires `>` as one of the next two bytes; this scan then requires both. */
function isDictionaryEnd({ bytes, at }: Cursor): boolean {
  const first = bytes[at]
  const second = bytes[at + 1]
  if (first !== undefined && first !== greaterThan && second !== greaterThan) return false
  if (first !== greaterThan || second !== greaterThan) throw damaged()
  return true
}

/** A stream must be an object of its own, never part of a value. */
function refuseStream(cursor: Cursor): void {
  skipSpace(cursor)
  if (startsWith(cursor, 'stream')) throw damaged()
}

function tableOf(characters: string): Uint8Array {
  const table = new Uint8Array(256)
  for (const code of codes(characters)) table[code] = 1
  return table
}

function codes(characters: string): number[] {
  return [...characters].map((character) => character.charCodeAt(0))
}

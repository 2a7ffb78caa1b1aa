import { type AssembledJson, startJsonAssembly } from './json-assembly.ts'
import {
  type ExceededJsonLimit,
  type JsonCut,
  type JsonLimits,
  type OpenLevel,
  startJsonScan,
} from './json-limits.ts'

export type ParsedJson =
  | AssembledJson
  | { kind: 'not-utf8' }
  | { kind: 'exceeded'; limit: ExceededJsonLimit }

/** Parses a JSON text as it arrives. */
export type JsonReader = {
  /** Reads the next part of the text. Returns a limit that the text exceeds for certain, or undefined. */
  push(part: Uint8Array): ExceededJsonLimit | undefined
  /** Returns the result, now that all of the text has been read. */
  end(): ParsedJson
}

/** Takes less than a millisecond, and up to some tens if it adds thousands of names to an object that has more. */
const pieceBytesDefault = 64 * 1024
const backslash = 0x5c
const u = 0x75
/** An escape such as `\u0020`. */
const escapeBytesMax = 6
const utf8BytesMax = 4

const utf8 = new TextDecoder('utf-8', { fatal: true })
const utf8Inside = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Parses a JSON text in UTF-8, with or without a byte order mark. A text that exceeds a limit is not parsed. */
export function parseJson(text: Uint8Array, limits: JsonLimits): ParsedJson {
  const reader = startJsonReader(limits)
  const limit = reader.push(text)
  return limit ? { kind: 'exceeded', limit } : reader.end()
}

/** Returns the message about a repeated member. `path` is rendered. */
export function repeatedMember(path: string): string {
  return `${path} must occur only once in its object`
}

/**
 * Starts to parse a JSON text. A long text is parsed in pieces, so that reading one part of it takes little time, and no
 * more of the text is kept than a piece. A member name or a number is always in one piece, and a piece within the value
 * of a member has at least as many bytes as its name.
 */
export function startJsonReader(
  limits: JsonLimits,
  pieceBytes: number = pieceBytesDefault,
): JsonReader {
  const assembly = startJsonAssembly()
  const scan = startJsonScan(limits, { pieceBytes, cut })
  let pending: Uint8Array[] = []
  let isUtf8 = true
  /** Bytes of the pieces that have been read. */
  let bytes = 0
  let members = 0
  let names: readonly (string | null)[] = []

  function cut({ at, isInString, open }: JsonCut): void {
    const text = joined(pending)
    const length = isInString ? wholeLength(text) : at - bytes
    read(text.subarray(0, length), isInString, open)
    pending = [text.subarray(length)]
    bytes += length
    members = scan.members()
  }

  function read(piece: Uint8Array, isInString: boolean, open: readonly OpenLevel[]): void {
    const text = isUtf8 ? decode(piece, bytes === 0) : undefined
    isUtf8 = text !== undefined
    if (text === undefined) return
    names = open.map(({ isArray, nameStart, nameEnd }, depth) => {
      if (isArray) return null
      // A value that began before the piece has its name there.
      if (nameStart < bytes) return names[depth]!
      return utf8.decode(piece.subarray(nameStart - bytes, nameEnd - bytes))
    })
    assembly.add({ text, members: scan.members() - members, end: { open: names, isInString } })
  }

  return {
    push(part) {
      pending.push(part)
      return scan.push(part)
    },
    end() {
      const limit = scan.end()
      if (limit) return { kind: 'exceeded', limit }
      read(joined(pending), false, [])
      return isUtf8 ? assembly.result() : { kind: 'not-utf8' }
    },
  }
}

function decode(text: Uint8Array, isBeginning: boolean): string | undefined {
  try {
    return (isBeginning ? utf8 : utf8Inside).decode(text)
  } catch {
    return undefined
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/**
 * Returns the length of the beginning of a string without a part of an escape or of a character at its end. The text
 * before it is not within an escape.
 */
function wholeLength(text: Uint8Array): number {
  let end = beforeEscape(text)
  const isContinuation = () => (text[end - 1]! & 0xc0) === 0x80
  for (let bytes = 1; bytes < utf8BytesMax && isContinuation(); bytes += 1) end -= 1
  return text[end - 1]! >= 0xc0 ? end - 1 : end
}

/** Returns the place of an escape that is not complete at the end of the text, or else its length. */
function beforeEscape(text: Uint8Array): number {
  let at = Math.max(0, text.length - escapeBytesMax + 1)
  let backslashes = 0
  while (text[at - 1 - backslashes] === backslash) backslashes += 1
  // After an odd number of backslashes, the character at `at` is the second one of an escape.
  if (backslashes % 2 === 1) at += 1
  while (at < text.length) {
    const bytes = text[at] !== backslash ? 1 : text[at + 1] === u ? escapeBytesMax : 2
    if (at + bytes > text.length) return at
    at += bytes
  }
  return text.length
}

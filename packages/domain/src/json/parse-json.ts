import { countMembers, findDuplicateMember } from './duplicate-member.ts'
import { findJsonError, type JsonErrorPlace } from './json-error.ts'
import { type ExceededJsonLimit, type JsonLimits, startJsonScan } from './json-scan.ts'

export type ParsedJson =
  | { kind: 'value'; value: unknown }
  | { kind: 'not-json'; at: JsonErrorPlace }
  | { kind: 'not-utf8' }
  /** A member occurs twice in its object. The names of the path may be personal. */
  | { kind: 'repeated'; path: (string | number)[] }
  | { kind: 'exceeded'; limit: ExceededJsonLimit }

/** Checks the limits of a JSON text as it arrives, and parses it once it is there. */
export type JsonReader = {
  /** Reads the next part of the text. Returns a limit that the text exceeds for certain, or undefined. */
  push(part: Uint8Array): ExceededJsonLimit | undefined
  /** Returns the result, now that all of the text has been read. */
  end(): ParsedJson
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

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

/** Starts to read a JSON text. Its parts are kept until the end. */
export function startJsonReader(limits: JsonLimits): JsonReader {
  const scan = startJsonScan(limits)
  const parts: Uint8Array[] = []
  return {
    push(part) {
      parts.push(part)
      return scan.push(part)
    },
    end() {
      const limit = scan.end()
      if (limit) return { kind: 'exceeded', limit }
      // Stryker disable next-line ConditionalExpression: a single part need only not be copied
      return parseText(parts.length === 1 ? parts[0]! : Buffer.concat(parts), scan.members())
    },
  }
}

/** Parses a text that has so many members. */
function parseText(bytes: Uint8Array, members: number): ParsedJson {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return { kind: 'not-utf8' }
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'not-json', at: placeOf(text, findJsonError(text)) }
  }
  // The parser keeps the last of several members of one name.
  // Stryker disable next-line ConditionalExpression,EqualityOperator: most texts need only not be searched
  const path = countMembers(value) < members ? findDuplicateMember(text) : undefined
  return path ? { kind: 'repeated', path } : { kind: 'value', value }
}

function placeOf(text: string, at: number): JsonErrorPlace {
  if (at >= text.length) return 'end'
  const before = text.slice(0, at)
  const lines = before.split('\n').length
  return { line: lines, character: at - before.lastIndexOf('\n') }
}

import { countMembers, findDuplicateMember } from './duplicate-member.ts'
import { type ExceededJsonLimit, type JsonLimits, startJsonScan } from './json-limits.ts'

export type ParsedJson =
  | { kind: 'value'; value: unknown }
  | { kind: 'not-utf8' | 'not-json' }
  | { kind: 'exceeded'; limit: ExceededJsonLimit }
  /** A member occurs twice in its object. The names of the path may be personal. */
  | { kind: 'repeated'; path: (string | number)[] }

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a JSON text in UTF-8, with or without a byte order mark. A text that exceeds a limit is not parsed.
 * `scannedMembers`: the number of members that a scan has found in the text, which exceeds no limit. Absent: it has not
 * been scanned.
 */
export function parseJson(
  text: Uint8Array,
  { scannedMembers, ...limits }: JsonLimits & { scannedMembers?: number | undefined },
): ParsedJson {
  let json: string
  try {
    json = utf8.decode(text)
  } catch {
    return { kind: 'not-utf8' }
  }
  const scan = startJsonScan(limits)
  const limit = scannedMembers === undefined ? (scan.push(text) ?? scan.end()) : undefined
  if (limit) return { kind: 'exceeded', limit }
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return { kind: 'not-json' }
  }
  // The parser keeps the last of several members of one name.
  const hasRepeated = countMembers(value) < (scannedMembers ?? scan.members())
  const path = hasRepeated && findDuplicateMember(json)
  return path ? { kind: 'repeated', path } : { kind: 'value', value }
}

/** Returns what is said about a repeated member. `path` is rendered. */
export function repeatedMember(path: string): string {
  return `${path} must occur only once in its object`
}

/** Limits on a JSON text, so that parsing it takes bounded time and memory. */
export type JsonLimits = {
  /** How deeply arrays and objects may be nested. */
  depthMax: number
  /** How many values there may be: objects, arrays, strings, numbers, true, false and null. Member names do not count. */
  valuesMax: number
}

export type ExceededJsonLimit = 'depth' | 'values'

const quote = 0x22
const backslash = 0x5c

const blank = 0
const scalar = 1
const opening = 2
const closing = 3
const nameEnd = 4
const string = 5
const comma = 6

/** What each byte means outside a string. A scalar is a number, true, false or null. */
const kinds = new Uint8Array(256)
kinds.fill(scalar, 0x21, 0x7f)
for (const [signs, kind] of [
  [',', comma],
  ['[{', opening],
  [']}', closing],
  [':', nameEnd],
  ['"', string],
] as const) {
  for (const sign of signs) kinds[sign.charCodeAt(0)] = kind
}

/** Reads a JSON text as it arrives. */
type JsonScan = {
  /** Reads the next part of the text. Returns a limit that the text exceeds for certain, or undefined. */
  push(part: Uint8Array): ExceededJsonLimit | undefined
  /** Returns the limit that the text exceeds, now that all of it has been read, or undefined. */
  end(): ExceededJsonLimit | undefined
  /** Returns how many members the objects of the text have so far, those with a repeated name included. */
  members(): number
}

/**
 * Starts to scan a JSON text in UTF-8. Reads each byte once and keeps none. Does not check that the text is JSON: of any
 * other text, it may count anything.
 */
export function startJsonScan({ depthMax, valuesMax }: JsonLimits): JsonScan {
  let depth = 0
  let values = 0
  let members = 0
  let previous = blank
  let isInString = false
  /** The last part ended with a backslash in a string. */
  let isEscaped = false

  /** Returns the place after the quote that ends the string, or the length of the part if the string goes on. */
  function passString(part: Uint8Array, start: number): number {
    // Files in strings have megabytes without a backslash, and `indexOf` passes over them fast.
    const end = isEscaped ? start : part.indexOf(quote, start)
    const isPlain = !isEscaped && (end === start || (end > start && part[end - 1] !== backslash))
    if (isPlain) return endString(end + 1)
    if (!isEscaped && end === -1 && part.at(-1) !== backslash) return part.length
    for (let at = start; at < part.length; at++) {
      if (isEscaped) isEscaped = false
      else if (part[at] === backslash) isEscaped = true
      else if (part[at] === quote) return endString(at + 1)
    }
    return part.length
  }

  function endString(end: number): number {
    isInString = false
    return end
  }

  return {
    push(part) {
      let at = isInString ? passString(part, 0) : 0
      while (at < part.length) {
        const kind = kinds[part[at]!]!
        at += 1
        // of a scalar, only the first character counts
        if (kind === blank || (kind === scalar && previous === scalar)) continue
        previous = kind
        if (kind === scalar) {
          values += 1
        } else if (kind === string) {
          values += 1
          isInString = true
          at = passString(part, at)
        } else if (kind === nameEnd) {
          // the string before it was the name of a member
          values -= 1
          members += 1
        } else if (kind === opening) {
          depth += 1
          values += 1
          if (depth > depthMax) return 'depth'
        } else if (kind === closing) {
          depth -= 1
        }
        // one more, because the last string may be the name of a member
        if (values > valuesMax + 1) return 'values'
      }
      return undefined
    },
    end: () => (values > valuesMax ? 'values' : undefined),
    members: () => members,
  }
}

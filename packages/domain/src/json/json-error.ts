/** Where a text stops being JSON. Lines and characters count from 1. */
export type JsonErrorPlace = { line: number; character: number } | 'end'

const blank = /[ \t\n\r]*/y
const token = /[[\]{}:,]|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y
const [quote, backslash, blankCode] = [0x22, 0x5c, 0x20]

type Expected = 'value' | 'value-or-end' | 'name' | 'name-or-end' | 'colon' | 'more' | 'nothing'

/**
 * Returns the index of the first token of a text that cannot follow the ones before it, or of the first character of a
 * string that a string cannot have, or the length of the text if it ends too early. The text must not be JSON.
 */
export function findJsonError(text: string): number {
  const open: string[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = endOfMatch(blank, text, at) ?? at
    const string = text.charCodeAt(at) === quote ? readString(text, at) : undefined
    const end = string ? string.end : endOfMatch(token, text, at)
    if (end === undefined) return at
    const next = follow(text[at]!, expected, open)
    if (next === undefined) return at
    if (string && !string.isClosed) return end
    expected = next
    at = end
  }
}

/**
 * Returns the index after a string that is closed, else of what is wrong in it. A regular expression would exhaust its
 * stack on a long one.
 */
function readString(text: string, start: number): { end: number; isClosed: boolean } {
  let at = start + 1
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) return { end: at + 1, isClosed: true }
    const next = code === backslash ? endOfMatch(escaped, text, at) : at + 1
    if (code < blankCode || next === undefined) break
    at = next
  }
  return { end: at, isClosed: false }
}

function endOfMatch(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** Returns what may follow the token that begins with `first`; undefined if it may not be there. Changes `open`. */
function follow(first: string, expected: Expected, open: string[]): Expected | undefined {
  const afterValue = () => (open.length > 0 ? 'more' : 'nothing')
  const isObject = open.at(-1) === '{'
  switch (first) {
    case '{':
    case '[':
      if (!expected.startsWith('value')) return undefined
      open.push(first)
      return first === '{' ? 'name-or-end' : 'value-or-end'
    case '}':
    case ']': {
      const mayEnd = expected === 'more' || expected.endsWith('-or-end')
      if (!mayEnd || isObject !== (first === '}')) return undefined
      open.pop()
      return afterValue()
    }
    case ':':
      return expected === 'colon' ? 'value' : undefined
    case ',':
      if (expected !== 'more') return undefined
      return isObject ? 'name' : 'value'
    case '"':
      if (expected.startsWith('name')) return 'colon'
      return expected.startsWith('value') ? afterValue() : undefined
    default:
      return expected.startsWith('value') ? afterValue() : undefined
  }
}

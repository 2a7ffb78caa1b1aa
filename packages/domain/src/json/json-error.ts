/** Where a text stops being JSON. Lines and characters count from 1. */
export type JsonErrorPlace = { line: number; character: number } | 'end'

const blank = /[ \t\n\r]*/y
/** A run of characters of a string: all but quotes, backslashes and control characters. */
const plain = String.raw`[ -!#-[\]-\uffff]*`
const string = String.raw`"${plain}(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})${plain})*"`
const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`
const token = new RegExp(String.raw`[[\]{}:,]|${string}|${number}|true|false|null`, 'y')

type Expected = 'value' | 'value-or-end' | 'name' | 'name-or-end' | 'colon' | 'more' | 'nothing'

/**
 * Returns the index of the first token of a text that cannot follow the ones before it, or the length of the text if it
 * ends too early. A string that does not end begins such a token. The text must not be JSON.
 */
export function findJsonError(text: string): number {
  const open: string[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = endOfMatch(blank, text, at) ?? at
    const end = endOfMatch(token, text, at)
    if (end === undefined) return at
    const next = follow(text[at]!, expected, open)
    if (next === undefined) return at
    expected = next
    at = end
  }
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

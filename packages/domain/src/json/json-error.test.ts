import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findJsonError } from './json-error.ts'
import { parseJson } from './parse-json.ts'

const limits = { depthMax: 32, valuesMax: 1_000_000 }

const broken: [text: string, at: number][] = [
  ['', 0],
  ['   ', 3],
  ['{"a":1', 6],
  ['{"a":1,}', 7],
  ['{"a" 1}', 5],
  ['{a:1}', 1],
  ["{'a':1}", 1],
  ['[1,2', 4],
  ['[1,,2]', 3],
  ['[1 2]', 3],
  ['[01]', 2],
  ['[1.]', 2],
  ['[tru]', 1],
  ['{"a":"b}', 5],
  ['{"a":"b\n"}', 5],
  ['{"a":"\\x"}', 5],
  ['{"a":1}}', 7],
  ['{"a":1} x', 8],
  ['[1}', 2],
  ['{]', 1],
  ['a=1', 0],
]

test.for(broken)('%j is broken at %d', ([text, at]) => {
  expect(findJsonError(text)).toBe(at)
})

const places: [text: string, at: unknown][] = [
  ['{\n  "a": 1,\n  "b" 2\n}', { line: 3, character: 7 }],
  ['{"a":1,}', { line: 1, character: 8 }],
  ['{"a":', 'end'],
  ['', 'end'],
]

test.for(places)('the place in %j is %j', ([text, at]) => {
  expect(parseJson(Buffer.from(text), limits)).toEqual({ kind: 'not-json', at })
})

test('the place is right in a text of many pieces too', () => {
  const items = Array.from({ length: 30_000 }, (_, index) => `"item ${index}"`)
  items[25_000] = 'x'
  const text = `[\n${items.join(',\n')}\n]`

  expect(parseJson(Buffer.from(text), limits)).toEqual({
    kind: 'not-json',
    at: { line: 25_002, character: 1 },
  })
})

test('a text that is cut off anywhere ends too early, or is broken where its last token begins', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, number) => {
      const text = `[${json}]`
      const cut = text.slice(0, number % text.length)
      const at = findJsonError(cut)
      return at <= cut.length && at >= 0
    }),
  )
})

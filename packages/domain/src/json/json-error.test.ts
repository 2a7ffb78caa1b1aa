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
  ['{"a":"b}', 8],
  ['{"a":"b\n"}', 7],
  ['{"a":"\\x"}', 6],
  ['{"a":"b" "c"}', 9],
  ['{"a":1}}', 7],
  ['{"a":1} x', 8],
  ['[1}', 2],
  ['{]', 1],
  ['a=1', 0],
  ['[1.25e10 x]', 9],
  [String.raw`["\u00e4" x]`, 10],
  [String.raw`["\u00x0"]`, 2],
  ['{"a":1,2}', 7],
  ['[1 [2]]', 3],
  ['1,2', 1],
]

test.for(broken)('the error in %j is at %d', ([text, at]) => {
  expect(findJsonError(text)).toBe(at)
})

const places: [text: string, at: unknown][] = [
  ['{\n  "a": 1,\n  "b" 2\n}', { line: 3, character: 7 }],
  ['{"a":1,}', { line: 1, character: 8 }],
  ['{"a":', 'end'],
  ['', 'end'],
]

test.for(places)('the error in %j is at line and character %j', ([text, at]) => {
  expect(parseJson(Buffer.from(text), limits)).toEqual({ kind: 'not-json', at })
})

test('the place of an error is right in a text of many pieces too', () => {
  const items = Array.from({ length: 30_000 }, (_, index) => `"item ${index}"`)
  items[25_000] = 'x'
  const text = `[\n${items.join(',\n')}\n]`

  expect(parseJson(Buffer.from(text), limits)).toEqual({
    kind: 'not-json',
    at: { line: 25_002, character: 1 },
  })
})

test.each([
  ['a value', (text: string) => `{"a":"${text}`],
  ['a name', (text: string) => `{"${text}`],
])('a long %s that is cut off has its error at the end', (_, write) => {
  expect(parseJson(Buffer.from(write('x'.repeat(300_000))), limits)).toEqual({
    kind: 'not-json',
    at: 'end',
  })
})

test('the error of a line break in a long value has its line and character', () => {
  const text = `{"a":\n"${'x'.repeat(300_000)}\n"}`

  expect(parseJson(Buffer.from(text), limits)).toEqual({
    kind: 'not-json',
    at: { line: 2, character: 300_002 },
  })
})

test('a name of megabytes with many escapes has its error at the end', () => {
  const text = `{"${String.raw`\n`.repeat(5_000_000)}`

  expect(parseJson(Buffer.from(text), limits)).toEqual({ kind: 'not-json', at: 'end' })
})

test('a text that is cut off has its error at the end, unless in a token without quotes', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.nat(), (strings, number) => {
      const text = JSON.stringify([strings])
      const cut = text.slice(0, number % text.length)
      const at = findJsonError(cut)
      return at === cut.length || cut[at] === '\\'
    }),
  )
})

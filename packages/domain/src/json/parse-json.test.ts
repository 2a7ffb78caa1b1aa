import { byEffort } from '@despatch/testing/effort'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ParsedJson, parseJson, startJsonReader } from './parse-json.ts'

const limits = { depthMax: 3, valuesMax: 6 }

test.each<[string, string | number[], ParsedJson]>([
  ['a value', '{"a":[1]}', { kind: 'value', value: { a: [1] } }],
  ['a value after a byte order mark', '\ufeff[]', { kind: 'value', value: [] }],
  ['a name in two objects', '[{"a":1},{"a":1}]', { kind: 'value', value: [{ a: 1 }, { a: 1 }] }],
  ['a repeated member', '{"a":[0,{"b":1,"b":2}]}', { kind: 'repeated', path: ['a', 1, 'b'] }],
  [
    'a repeated member, once with an escape',
    String.raw`{"a":1,"\u0061":2}`,
    { kind: 'repeated', path: ['a'] },
  ],
  ['a repeated member without a name', '{"":1,"":2}', { kind: 'repeated', path: [''] }],
  ['other characters than UTF-8', [0x22, 0xe4, 0x22], { kind: 'not-utf8' }],
  ['half of an object', '{"a":', { kind: 'not-json', at: 'end' }],
  ['nothing', '', { kind: 'not-json', at: 'end' }],
  ['too deep a value', '[[[[]]]]', { kind: 'exceeded', limit: 'depth' }],
  ['too many values', '[1,2,3,4,5,6]', { kind: 'exceeded', limit: 'values' }],
])('reads %s', (_what, text, parsed) => {
  expect(parseJson(Buffer.from(text as string), limits)).toEqual(parsed)
})

const unlimited = { depthMax: 100, valuesMax: 1_000_000 }
const bytesOf = (text: string) => new TextEncoder().encode(text)

const names = fc.constantFrom('', 'a', '1', 'é', '__proto__', 'toString')
const tree = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, -1.5e-7),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map((members) => new Map(members)),
  ),
})).value

/** Writes a value as JSON. Members of a map may be repeated. */
function write(value: unknown, isSpaced: boolean, repeats: boolean): string {
  const blank = isSpaced ? ' \n' : ''
  const inner = (each: unknown) => blank + write(each, isSpaced, repeats) + blank
  if (Array.isArray(value)) return `[${value.map(inner).join(',')}]`
  if (!(value instanceof Map)) return JSON.stringify(value)
  const members = [...value].map(([name, each]) => `${JSON.stringify(name)}${blank}:${inner(each)}`)
  return `{${[...members, ...(repeats ? members.slice(0, 1) : [])].join(',')}}`
}

test('any text, divided anywhere, has the value that JSON.parse returns, or a repeated member', () => {
  fc.assert(
    fc.property(tree, fc.boolean(), fc.boolean(), fc.nat(), (value, isSpaced, repeats, number) => {
      const text = bytesOf(write(value, isSpaced, repeats))
      const isRepeated = repeats && hasMembers(value)
      const at = number % (text.length + 1)

      const reader = startJsonReader(unlimited)
      reader.push(text.subarray(0, at))
      reader.push(text.subarray(at))
      const parsed = reader.end()

      if (isRepeated) expect(parsed.kind).toBe('repeated')
      else expect(parsed).toStrictEqual({ kind: 'value', value: JSON.parse(textOf(text)) })
    }),
    { numRuns: byEffort({ landing: 500, full: 20_000 }) },
  )
})

function hasMembers(value: unknown): boolean {
  if (value instanceof Map) return value.size > 0
  return Array.isArray(value) && value.some(hasMembers)
}

function textOf(text: Uint8Array): string {
  return new TextDecoder().decode(text)
}

test.each<[string, ParsedJson]>([
  [String.raw`"\ud83d\ude00\ud83d\\\""`, { kind: 'value', value: '\u{1f600}\ud83d\\"' }],
  ['["é😀\ufeff"]', { kind: 'value', value: ['é😀\ufeff'] }],
  ['[-0,1e400,0.1000000000000000055]', { kind: 'value', value: [-0, Infinity, 0.1] }],
  [
    '{"__proto__":{"a":[1,2]},"b":[]}',
    { kind: 'value', value: JSON.parse('{"__proto__":{"a":[1,2]},"b":[]}') },
  ],
  ['{"__proto__":[1,2],"__proto__":3}', { kind: 'repeated', path: ['__proto__'] }],
  ['[1,2][3,4]', { kind: 'not-json', at: { line: 1, character: 6 } }],
  ['\ufeff\ufeff[1,2]', { kind: 'not-json', at: { line: 1, character: 1 } }],
])('%j may arrive byte by byte', (json, parsed) => {
  const reader = startJsonReader(unlimited)
  for (const byte of bytesOf(json)) reader.push(Uint8Array.of(byte))

  expect(reader.end()).toStrictEqual(parsed)
})

test('a member that is repeated after many others is named by its path', () => {
  const items = Array(30_000).fill({ a: 1 })
  const json = `{"a":0,"list":${JSON.stringify(items).slice(0, -1)},{"b":1,"b":2}],"a":1}`

  expect(parseJson(bytesOf(json), unlimited)).toEqual({
    kind: 'repeated',
    path: ['list', 30_000, 'b'],
  })
})

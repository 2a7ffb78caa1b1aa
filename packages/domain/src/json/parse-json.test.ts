import { isDeepStrictEqual } from 'node:util'
import { byEffort } from '@despatch/testing/effort'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findDuplicateMember } from './duplicate-member.ts'
import { type ParsedJson, parseJson, startJsonReader } from './parse-json.ts'

const limits = { depthMax: 3, valuesMax: 6 }

test.each<[string, string | number[], ParsedJson]>([
  ['a value', '{"a":[1]}', { kind: 'value', value: { a: [1] } }],
  ['a value after a byte order mark', '\ufeff[]', { kind: 'value', value: [] }],
  ['a name in two objects', '[{"a":1},{"a":1}]', { kind: 'value', value: [{ a: 1 }, { a: 1 }] }],
  ['a repeated member', '{"a":[0,{"b":1,"b":2}]}', { kind: 'repeated', path: ['a', 1, 'b'] }],
  ['a repeated member without a name', '{"":1,"":2}', { kind: 'repeated', path: [''] }],
  ['other characters than UTF-8', [0x22, 0xe4, 0x22], { kind: 'not-utf8' }],
  ['half of an object', '{"a":', { kind: 'not-json' }],
  ['nothing', '', { kind: 'not-json' }],
  ['too deep a value', '[[[[]]]]', { kind: 'exceeded', limit: 'depth' }],
  ['too many values', '[1,2,3,4,5,6]', { kind: 'exceeded', limit: 'values' }],
])('reads %s', (_what, text, parsed) => {
  expect(withoutPlace(parseJson(Buffer.from(text as string), limits))).toEqual(parsed)
})

const unlimited = { depthMax: 100, valuesMax: 1_000_000 }
const bytesOf = (text: string) => new TextEncoder().encode(text)

/** Reads the text in parts of `size` bytes, and parses it in pieces of `pieceBytes` bytes or more. */
function readInParts(text: Uint8Array, { size, pieceBytes }: { size: number; pieceBytes: number }) {
  const reader = startJsonReader(unlimited, pieceBytes)
  for (let at = 0; at < text.length; at += size) reader.push(text.subarray(at, at + size))
  return reader.end()
}

/** Parses the whole text with the parser of the platform. */
function parseWhole(bytes: Uint8Array): ParsedJson {
  let json: string
  try {
    json = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { kind: 'not-utf8' }
  }
  try {
    const value: unknown = JSON.parse(json)
    const path = findDuplicateMember(json)
    return path ? { kind: 'repeated', path } : { kind: 'value', value }
  } catch {
    return { kind: 'not-json' }
  }
}

/** Compares the order of members too. */
function expectSame(given: ParsedJson, expected: ParsedJson): void {
  const actual = withoutPlace(given)
  expect(actual).toStrictEqual(expected)
  expect(JSON.stringify(actual)).toBe(JSON.stringify(expected))
}

/** Other tests say where a text is broken. */
function withoutPlace(parsed: ParsedJson): ParsedJson {
  return parsed.kind === 'not-json' ? { kind: 'not-json' } : parsed
}

const sizes = fc.record({
  size: fc.integer({ min: 1, max: 9 }),
  pieceBytes: fc.integer({ min: 0, max: 9 }),
})

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

/**
 * A fault of V8 13: once it has read a lone backslash as a name, it takes a name with an escape in that place for it.
 */
const isMisread = (text: Uint8Array) => /\\[^,]*:/.test(new TextDecoder().decode(text))

test('a text that is read and parsed in pieces of any size has the same value, or the same fault', () => {
  fc.assert(
    fc.property(tree, fc.boolean(), fc.boolean(), sizes, (value, isSpaced, repeats, cuts) => {
      const text = bytesOf(write(value, isSpaced, repeats))

      expectSame(readInParts(text, cuts), parseWhole(text))
    }),
    { numRuns: byEffort({ landing: 500, full: 20_000 }) },
  )
})

const spoilt = fc
  .record({
    json: tree.map((value) => bytesOf(write(value, false, false))),
    at: fc.nat({ max: 100 }),
    removed: fc.nat({ max: 3 }),
    added: fc.oneof(
      fc.string({ unit: fc.constantFrom(...'\\"[]{}:,1u 	'), maxLength: 4 }).map(bytesOf),
      fc.uint8Array({ maxLength: 3 }),
    ),
  })
  .map(({ json, at, removed, added }) =>
    Uint8Array.from([...json.subarray(0, at), ...added, ...json.subarray(at + removed)]),
  )

test('so does a text that is not JSON, or not UTF-8', () => {
  fc.assert(
    fc.property(spoilt, sizes, (text, cuts) => {
      fc.pre(!isMisread(text))
      expectSame(readInParts(text, cuts), parseWhole(text))
    }),
    { numRuns: byEffort({ landing: 1_000, full: 50_000 }) },
  )
})

test('so does a text that is divided at any one place', () => {
  const written = fc.tuple(tree, fc.boolean(), fc.boolean()).map((of) => bytesOf(write(...of)))
  const withMark = written.map((json) => Uint8Array.from([0xef, 0xbb, 0xbf, ...json]))

  fc.assert(
    fc.property(fc.oneof(written, withMark, spoilt), (text) => {
      fc.pre(!isMisread(text))
      const whole = parseWhole(text)
      for (let at = 0; at <= text.length; at++) {
        const reader = startJsonReader(unlimited, 0)
        reader.push(text.subarray(0, at))
        reader.push(text.subarray(at))
        expectSame(reader.end(), whole)
      }
    }),
    { numRuns: byEffort({ landing: 200, full: 5_000 }) },
  )
})

test.each<[string, ParsedJson]>([
  [String.raw`"\ud83d\ude00\ud83d\\\""`, { kind: 'value', value: '\u{1f600}\ud83d\\"' }],
  ['["é😀\ufeff"]', { kind: 'value', value: ['é😀\ufeff'] }],
  ['[-0,1e400,0.1000000000000000055]', { kind: 'value', value: [-0, Infinity, 0.1] }],
  [
    '{"__proto__":{"a":[1,2]},"b":[]}',
    { kind: 'value', value: JSON.parse('{"__proto__":{"a":[1,2]},"b":[]}') },
  ],
  ['{"a":[1,2],"\\u0061":3}', { kind: 'repeated', path: ['a'] }],
  ['{"__proto__":[1,2],"__proto__":3}', { kind: 'repeated', path: ['__proto__'] }],
  ['[1,2][3,4]', { kind: 'not-json' }],
  ['[1,01]', { kind: 'not-json' }],
  ['[1,"a\tb",2]', { kind: 'not-json' }],
  ['\ufeff\ufeff[1,2]', { kind: 'not-json' }],
])('of %j, each byte may arrive on its own', (json, parsed) => {
  expectSame(readInParts(bytesOf(json), { size: 1, pieceBytes: 0 }), parsed)
})

test('a name with an escape may be misread by the parser of the platform, and throws nothing', () => {
  const cuts = { size: 1, pieceBytes: 0 }
  const escaped = (value: string) => String.raw`{"first":[],"\"":${value}}`
  for (const _ of [1, 2]) JSON.parse(String.raw`{"first":[],"\\":0}`)

  for (const value of ['[""]', '{"a":[1,"text"]}', '"text"', '0']) {
    const parsed = readInParts(bytesOf(escaped(value)), cuts)
    expect(['value', 'not-json']).toContain(parsed.kind)
    expect(JSON.stringify(parsed)).not.toContain('undefined')
  }
})

const text = 'x'.repeat(3_000_000)

test.each([
  ['a file', JSON.stringify({ a: 1, file: text, b: 2 })],
  ['a file in lines', JSON.stringify({ file: text.replaceAll(/.{76}/g, '$&\r\n') })],
  ['other characters than ASCII', JSON.stringify([text.replaceAll('xx', 'é😀')])],
  ['escapes', `["${String.raw`\u00e9\\\"`.repeat(200_000)}"]`],
  ['backslashes', `["${String.raw`\\`.repeat(1_000_000)}"]`],
  ['objects', JSON.stringify(Array(60_000).fill({ a: [1, { b: 'c' }], d: 'e' }))],
  [
    'members',
    JSON.stringify(Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`m${i}`, [i]]))),
  ],
  ['one string', JSON.stringify(text)],
])('3 MB with %s are parsed in pieces', (_what, json) => {
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())

  const parsed = readInParts(bytesOf(json), { size: 50_000, pieceBytes: 64 * 1024 })
  const lengths = parse.mock.calls.map(([piece]) => piece.length)
  parse.mockRestore()

  expect(Math.max(...lengths)).toBeLessThan(130_000)
  expect(isDeepStrictEqual(parsed, { kind: 'value', value: JSON.parse(json) })).toBe(true)
})

test('long names are not parsed again with every piece', () => {
  const name = 'n'.repeat(1_500_000)
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())

  const parsed = readInParts(bytesOf(`{"${name}":["${text.slice(name.length)}"]}`), {
    size: 50_000,
    pieceBytes: 64 * 1024,
  })
  const characters = parse.mock.calls.reduce((sum, [piece]) => sum + piece.length, 0)

  expect(parsed.kind).toBe('value')
  expect(characters).toBeLessThan(4 * text.length)
})

test('a member that is repeated after many others is named by its path', () => {
  const items = Array(30_000).fill({ a: 1 })
  const json = `{"a":0,"list":${JSON.stringify(items).slice(0, -1)},{"b":1,"b":2}],"a":1}`

  expect(parseJson(bytesOf(json), unlimited)).toEqual({
    kind: 'repeated',
    path: ['list', 30_000, 'b'],
  })
})

test('the names of a large object are not read again for a repeated member', () => {
  const members = Array.from({ length: 30_000 }, (_, index) => `"member${index}":1`)
  const keys = vi.spyOn(Object, 'keys')
  onTestFinished(() => keys.mockRestore())

  const parsed = parseJson(bytesOf(`{${members},"member0":2}`), unlimited)
  const counts = keys.mock.results.map(({ value }) => value.length)

  expect(parsed).toEqual({ kind: 'repeated', path: ['member0'] })
  expect(Math.max(...counts)).toBeLessThan(10_000)
})

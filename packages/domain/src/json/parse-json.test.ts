import { expect, test } from 'vitest'
import { type ParsedJson, parseJson } from './parse-json.ts'

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
  expect(parseJson(Buffer.from(text as string), limits)).toEqual(parsed)
})

test('uses the number of members that an earlier scan has found', () => {
  const text = Buffer.from('{"a":1,"a":2}')

  expect(parseJson(text, { ...limits, scannedMembers: 2 })).toEqual({
    kind: 'repeated',
    path: ['a'],
  })
  expect(parseJson(text, { ...limits, scannedMembers: 1 }).kind).toBe('value')
})

import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseRow } from './parse-row.ts'

const schema = z.strictObject({
  name: z.string(),
  inner: z.strictObject({ list: z.array(z.strictObject({ code: z.string() })) }).exactOptional(),
})
const reasonsOf = (line: string) => {
  const parsed = parseRow(Buffer.from(line), schema)
  return parsed.kind === 'rejected' ? parsed.reasons : []
}

test('returns a valid row unchanged', () => {
  expect(parseRow(Buffer.from('{"name":"one"}'), schema)).toEqual({
    kind: 'row',
    row: { name: 'one' },
  })
})

test.for<[what: string, line: string, reasons: string[]]>([
  ['no JSON', '{"name"', ['row must be JSON']],
  ['nothing', 'null', ['row must be an object']],
  ['a list', '[{"name":"one"}]', ['row must be an object']],
  ['a missing member', '{}', ['name must not be null']],
  [
    'members that are not known',
    '{"name":"a","nmae":"b","inner":{"list":[{"code":"c","cdoe":"d"}]}}',
    ['inner.list[0].cdoe is not known: is it misspelt?', 'nmae is not known: is it misspelt?'],
  ],
  [
    'a repeated member',
    '{"name":"a","inner":{"list":[{"code":"c"},{"code":"d","code":"e"}]}}',
    ['inner.list[1].code must occur only once in its object'],
  ],
  ['too deep a row', `{"name":${'['.repeat(100_000)}`, ['row must be nested at most 32 deep']],
  [
    'a row that is too long',
    `{"name":"${'é'.repeat(65_536)}"}`,
    ['row must be at most 131072 bytes'],
  ],
])('rejects a row: %s', ([, line, reasons]) => {
  expect(reasonsOf(line)).toEqual(reasons)
})

test.for(['MORGA657054SM9IJ', '\u001b[2J', 'née', 'a'.repeat(41), ''])(
  'does not repeat the name of a member that is not a word: %j',
  (member) => {
    expect(reasonsOf(JSON.stringify({ name: 'a', [member]: 1 }))).toEqual([
      '… is not known: is it misspelt?',
    ])
    expect(reasonsOf(`{${JSON.stringify(member)}:{"name":1,"name":2}}`)).toEqual([
      '….name must occur only once in its object',
    ])
  },
)

test('reports at most ten reasons', () => {
  const many = Object.fromEntries(
    Array.from({ length: 14 }, (_, index) => [`m${'n'.repeat(index)}`, 1]),
  )

  const reasons = reasonsOf(JSON.stringify({ name: 'a', ...many }))

  expect(reasons).toHaveLength(11)
  expect(reasons.at(-1)).toBe('and 4 more')
})

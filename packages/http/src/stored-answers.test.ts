import { expect, test } from 'vitest'
import { z } from 'zod'
import { createSerializer, renderAnswer } from './stored-answers.ts'

const time = z.pipe(
  z.transform((at: Date) => at.toISOString()),
  z.iso.datetime(),
)
const schema = z.object({
  name: z.string().max(3),
  at: time,
  endedAt: z.pipe(
    z.transform((at: Date | null) => at ?? undefined),
    time.optional(),
  ),
  items: z.array(z.object({ id: z.string(), at: time })).optional(),
  remark: z.string().nullable(),
})
const at = new Date('2026-03-04T05:06:07Z')
const text = '2026-03-04T05:06:07.000Z'

test('an answer has the members of its schema in their order, and no others', () => {
  const stored = {
    ...{ secret: 'x', remark: null, endedAt: at, at, name: 'abc' },
    items: [{ id: '1', at, secret: 'x' }],
  }
  const rendered = `{"name":"abc","at":"${text}","endedAt":"${text}","items":[{"id":"1","at":"${text}"}],"remark":null}`

  expect(createSerializer({ schema })(stored)).toBe(rendered)
})

test('what is stored is rendered even if it breaks a rule', () => {
  const stored = { name: 'longer than the rule', at, endedAt: null, remark: 'r' }

  const rendered = { name: 'longer than the rule', at: text, remark: 'r' }
  expect(renderAnswer(schema, stored)).toEqual(rendered)
})

test('an answer of several kinds is rendered as the kind that its literals say', () => {
  const kinds = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a'), at: time }),
    z.object({ kind: z.literal('b'), b: z.string() }),
  ])

  expect(renderAnswer(kinds, { kind: 'a', at })).toEqual({ kind: 'a', at: text })
  const withOthers = { kind: 'b' as const, b: 'x', secret: 'x' }
  expect(renderAnswer(kinds, withOthers)).toEqual({ kind: 'b', b: 'x' })
})

test('null stays null where the schema allows it', () => {
  expect(renderAnswer(z.object({ at: time.nullable() }), { at: null })).toEqual({ at: null })
})

test.each([
  ['lazy', z.lazy(() => schema)],
  ['intersection', z.intersection(schema, z.object({}))],
  ['default', z.object({ a: z.string() }).default({ a: '' })],
])('a schema that could let other members pass is refused: %s', (type, unknown) => {
  expect(() => createSerializer({ schema: unknown })).toThrow(type)
})

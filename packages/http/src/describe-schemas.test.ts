import { expect, test } from 'vitest'
import { z } from 'zod'
import { createSchemaDescriber } from './describe-schemas.ts'

/** Returns the named schemas of a document whose one operation takes and returns the given schema. */
function namedSchemas(schema: z.ZodType, shapes: Readonly<Record<string, z.ZodType>>) {
  const { describeRoute, addShapes } = createSchemaDescriber(shapes)
  const document = {
    components: {},
    route: describeRoute({ body: schema, response: { 200: schema } }),
  }
  // biome-ignore lint/suspicious/noExplicitAny: what it becomes is judged by the test
  return (addShapes(document) as any).components.schemas
}

test('refers to shapes inside each other, and keeps the description of the place', () => {
  const thing = z.object({ size: z.number() })
  const things = z.object({ first: thing.describe('The one'), others: z.array(thing) })

  const named = namedSchemas(things, { Things: things, Thing: thing, Unused: z.object({}) })

  expect(Object.keys(named)).toEqual(['Thing', 'Things'])
  expect(named.Things.properties).toEqual({
    first: { $ref: '#/components/schemas/Thing', description: 'The one' },
    others: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
  })
})

test('only requests are closed', () => {
  const [asked, given] = [z.strictObject({}), z.strictObject({})]
  const { describeRoute, addShapes } = createSchemaDescriber({ Asked: asked, Given: given })
  const route = describeRoute({ body: asked, response: { 200: given } })

  const { schemas } = addShapes({ components: {}, route }).components as Record<string, unknown>

  expect(schemas).toEqual({
    Asked: { type: 'object', properties: {}, additionalProperties: false },
    Given: { type: 'object', properties: {} },
  })
})

test('a shape with another form in responses has no name of both', () => {
  const padded = z.object({ size: z.number().default(1) })

  expect(() => namedSchemas(padded, { Padded: padded })).toThrow('different forms of Padded')
})

test('names enums by their values', () => {
  const body = z.object({ letter: z.enum(['x', 'y']), other: z.enum(['x', 'z']) })

  const named = namedSchemas(body, {
    Body: body,
    First: z.enum(['x', 'y']),
    Second: z.enum(['x', 'y']),
  })

  expect(Object.keys(named)).toEqual(['Body', 'First'])
})

import { expect, test } from 'vitest'
import { z } from 'zod'
import { nameSchemas } from './name-schemas.ts'

const thing = z.object({ size: z.number() })
const things = z.object({ things: z.array(thing) })

/** Returns a document with one operation, whose body and response have the form that zod gives these schemas. */
function aDocument({ body, response }: { body?: z.ZodType; response?: z.ZodType }) {
  const inline = (schema: z.ZodType, io: 'input' | 'output') => {
    const { $schema: _, ...form } = z.toJSONSchema(schema, { io })
    return { content: { 'application/json': { schema: form } } }
  }
  const post = {
    ...(body && { requestBody: inline(body, 'input') }),
    responses: response ? { 200: inline(response, 'output') } : {},
  }
  // biome-ignore lint/suspicious/noExplicitAny: what it becomes is judged by the test
  return { paths: { '/': { post } }, components: {} } as any
}

test('refers to named shapes, also inside each other', () => {
  const document = aDocument({ response: things })

  nameSchemas(document, { Things: things, Thing: thing, Unused: z.object({ other: z.string() }) })

  expect(document.paths['/'].post.responses[200].content['application/json'].schema).toEqual({
    $ref: '#/components/schemas/Things',
  })
  expect(document.components.schemas).toEqual({
    Thing: expect.objectContaining({ properties: { size: { type: 'number' } } }),
    Things: expect.objectContaining({
      properties: { things: { type: 'array', items: { $ref: '#/components/schemas/Thing' } } },
    }),
  })
})

test('keeps what one place says about a shape', () => {
  const response = z.object({ thing: thing.describe('The one') })
  const document = aDocument({ response })

  nameSchemas(document, { Response: response, Thing: thing })

  expect(document.components.schemas.Response.properties.thing).toEqual({
    $ref: '#/components/schemas/Thing',
    description: 'The one',
  })
  expect(document.components.schemas.Thing).not.toHaveProperty('description')
})

test('gives the form of responses a suffix if requests have another one', () => {
  const document = aDocument({ body: thing, response: thing })

  nameSchemas(document, { Thing: thing })

  expect(Object.keys(document.components.schemas)).toEqual(['Thing', 'ThingResponse'])
  expect(document.components.schemas.ThingResponse.additionalProperties).toBe(false)
})

test('writes a shape once, under its first name', () => {
  const document = aDocument({ body: z.object({ kind: z.literal('a'), of: z.enum(['x', 'y']) }) })
  const same = { First: z.enum(['x', 'y']), Second: z.enum(['x', 'y']) }

  nameSchemas(document, { Body: z.object({ kind: z.literal('a'), of: same.First }), ...same })

  expect(Object.keys(document.components.schemas)).toEqual(['First'])
})

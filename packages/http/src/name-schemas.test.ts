import { expect, test } from 'vitest'
import { z } from 'zod'
import { formsOf, nameSchemas } from './name-schemas.ts'

const thing = z.object({ size: z.number() })
const things = z.object({ things: z.array(thing) })

/** Returns a document with one operation, whose body and response have the forms of these schemas. */
function aDocument({ body, response }: { body?: z.ZodType; response?: z.ZodType }) {
  const inline = (schema: z.ZodType, direction: 'request' | 'response') => ({
    content: { 'application/json': { schema: formsOf(schema)[direction] } },
  })
  const post = {
    ...(body && { requestBody: inline(body, 'request') }),
    responses: response ? { 200: inline(response, 'response') } : {},
  }
  // biome-ignore lint/suspicious/noExplicitAny: what it becomes is judged by the test
  return { paths: { '/': { post } }, components: {} } as any
}

test('refers to named schemas, also inside each other', () => {
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

test('keeps the description of a reference', () => {
  const response = z.object({ thing: thing.describe('The one') })
  const document = aDocument({ response })

  nameSchemas(document, { Response: response, Thing: thing })

  expect(document.components.schemas.Response.properties.thing).toEqual({
    $ref: '#/components/schemas/Thing',
    description: 'The one',
  })
  expect(document.components.schemas.Thing).not.toHaveProperty('description')
})

test('gives requests and responses with the same schema one name', () => {
  const document = aDocument({ body: thing, response: thing })

  nameSchemas(document, { Thing: thing })

  expect(Object.keys(document.components.schemas)).toEqual(['Thing'])
})

test('gives the response schema a suffix if the request schema differs', () => {
  const padded = z.object({ size: z.number().default(1) })
  const strict = z.strictObject({ size: z.number() })
  const body = z.object({ padded, strict })
  const document = aDocument({ body, response: body })

  nameSchemas(document, { Body: body, Padded: padded, Strict: strict })

  const { schemas } = document.components
  expect(Object.keys(schemas).filter((name) => name.endsWith('Response'))).toEqual([
    'BodyResponse',
    'PaddedResponse',
    'StrictResponse',
  ])
  expect(schemas.Padded).not.toHaveProperty('required')
  expect(schemas.PaddedResponse.required).toEqual(['size'])
  expect(schemas.Strict.additionalProperties).toBe(false)
  expect(schemas.StrictResponse).not.toHaveProperty('additionalProperties')
})

test('writes a schema once, under its first name', () => {
  const body = z.object({ kind: z.literal('a'), of: z.enum(['x', 'y']) })
  const document = aDocument({ body })

  nameSchemas(document, { Body: body, First: z.enum(['x', 'y']), Second: z.enum(['x', 'y']) })

  expect(Object.keys(document.components.schemas)).toEqual(['Body', 'First'])
})

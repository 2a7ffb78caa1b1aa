import { isDeepStrictEqual } from 'node:util'
import type { FastifySchema } from 'fastify'
import { z } from 'zod'

type Json = Record<string, unknown>

/**
 * Describes zod schemas as JSON schemas that refer to shapes by their names. No response is closed, because a later
 * version may add members that a caller must tolerate.
 */
export function createSchemaDescriber(shapes: Readonly<Record<string, z.ZodType>>) {
  const names = z.registry<{ id: string }>()
  /** Names by the values of an enum: each contract that has it may have its own schema. */
  const enumNames = new Map<string, string>()
  for (const [id, schema] of Object.entries(shapes).toReversed()) {
    if (schema instanceof z.ZodEnum) enumNames.set(JSON.stringify(schema.options), id)
    else names.add(withoutDescription(schema), { id })
  }
  const metadata = Object.assign(z.registry<Json>(), {
    get: (schema: z.core.$ZodType) => ({ ...z.globalRegistry.get(schema), ...names.get(schema) }),
  })
  const described: Record<string, Json> = {}

  function describe(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema, $defs, ...json } = z.toJSONSchema(schema, {
      io,
      metadata,
      unrepresentable: 'any',
      override: ({ jsonSchema: { const: only, ...json }, jsonSchema }) => {
        if (io === 'output' && json.additionalProperties === false) {
          delete jsonSchema.additionalProperties
        }
        if (only !== undefined) jsonSchema.enum = [only]
        delete jsonSchema.const
        const name = enumNames.get(JSON.stringify(json.enum))
        if (name === undefined) return
        described[name] = { type: 'string', enum: json.enum }
        delete jsonSchema.type
        delete jsonSchema.enum
        jsonSchema.$ref = `#/$defs/${name}`
      },
    })
    for (const [name, form] of Object.entries($defs ?? {})) {
      if (!isDeepStrictEqual(described[name] ?? form, form)) {
        throw new Error(`Requests and responses have different forms of ${name}: name only one`)
      }
      described[name] = form
    }
    return json
  }

  /** Returns the schema of a route with a JSON schema for each zod schema. */
  function describeRoute(schema: FastifySchema = {}): FastifySchema {
    const parts = Object.entries(schema).map(([part, value]) => {
      const text = JSON.stringify(value, (key, each) => {
        if (!(each instanceof z.ZodType)) return each
        // The members of a query or a path are parameters.
        if (part === 'body') return describe(each, 'input')
        if (part !== 'response') return describe(each.clone(each.def), 'input')
        const { description, ...json } = describe(each, 'output')
        const isResponse = key !== 'schema'
        return { ...json, [isResponse ? 'x-response-description' : 'description']: description }
      })
      // The plugin that makes the document would remove what is beside a $ref.
      return [part, JSON.parse(text.replaceAll('"$ref":', '"x-ref":'))]
    })
    return Object.fromEntries(parts)
  }

  /** Returns the document with the shapes that it refers to. */
  function addShapes<Document extends { components?: object }>(document: Document): Document {
    const sorted = Object.entries(described).sort(([a], [b]) => (a < b ? -1 : 1))
    const components = { ...document.components, schemas: Object.fromEntries(sorted) }
    const text = JSON.stringify({ ...document, components })
    return JSON.parse(text.replace(/"(\$|x-)ref":"#\/\$defs\//g, '"$ref":"#/components/schemas/'))
  }

  return { describe, describeRoute, addShapes }
}

/** A described schema is a copy: the places of a shape may have their own descriptions. */
function withoutDescription(schema: z.core.$ZodType): z.core.$ZodType {
  const { def, parent } = schema._zod
  return parent?._zod.def === def ? withoutDescription(parent) : schema
}

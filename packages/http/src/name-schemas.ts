import type { ZodType } from 'zod'
import { describeRoute } from './describe-route.ts'

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema is walked keyword by keyword
type Json = any
const directions = ['request', 'response'] as const
type Direction = (typeof directions)[number]
/** Names by the key of a form. */
type Names = Readonly<Record<Direction, Map<string, string>>>

/** Keywords that may differ between two places that have one shape. */
const annotations = new Set(['description', 'default'])

/**
 * Moves each schema in `paths` and `webhooks` that has the form of a named shape to `components.schemas`, and refers to
 * it. A shape is written once, even if several contracts define it. If requests and responses have different forms of a
 * shape, the one of responses has the suffix Response. Changes the document.
 */
export function nameSchemas(document: Json, shapes: Readonly<Record<string, ZodType>>): void {
  const forms = Object.entries(shapes).map(([name, schema]) => ({ name, ...formsOf(schema) }))
  const known = createNames()
  // The first name of a form counts.
  for (const { name, ...its } of forms.toReversed()) {
    for (const direction of directions) known[direction].set(keyOf(its[direction]), name)
  }
  const names = createNames()
  collect([document.paths, document.webhooks], 'request', known, names)
  for (const [key, name] of names.response) {
    const isOtherInRequests = [...names.request].some((each) => each[1] === name && each[0] !== key)
    if (isOtherInRequests) names.response.set(key, `${name}Response`)
  }
  const schemas = forms.flatMap((its) =>
    directions.flatMap((direction) => {
      const form = its[direction]
      const name = nameOf(form, names[direction])
      return name ? [[name, mapMembers(form, (member) => refer(member, direction, names))]] : []
    }),
  )
  document.components.schemas = Object.fromEntries(schemas.sort(([a], [b]) => (a < b ? -1 : 1)))
  for (const part of ['paths', 'webhooks']) {
    if (document[part]) document[part] = refer(document[part], 'request', names)
  }
}

function createNames(): Names {
  return { request: new Map(), response: new Map() }
}

/** Returns the form of a schema in requests and in responses, as the routes of the document have it. */
export function formsOf(schema: ZodType): Record<Direction, Json> {
  const route = { schema: { body: schema, response: { 200: schema } }, url: '' }
  const openapiObject = { openapi: '3.1.0' }
  const { body, response } = (describeRoute({ ...route, openapiObject } as never) as Json).schema
  return { request: constToEnum(body), response: constToEnum(response[200]) }
}

/** The document has an enum of one value for each const. */
function constToEnum(form: Json): Json {
  return JSON.parse(JSON.stringify(form), (_, value) => {
    if (value?.const === undefined) return value
    const { const: only, ...others } = value
    return { ...others, enum: [only] }
  })
}

/** Adds the known forms that occur in the value to `names`. */
function collect(value: Json, direction: Direction, known: Names, names: Names): void {
  if (typeof value !== 'object' || value === null) return
  const name = nameOf(value, known[direction])
  if (name) names[direction].set(keyOf(value), name)
  for (const [member, each] of Object.entries(value)) {
    collect(each, member === 'responses' ? 'response' : direction, known, names)
  }
}

function refer(value: Json, direction: Direction, names: Names): Json {
  const name = nameOf(value, names[direction])
  if (!name) {
    return mapMembers(value, (member, key) =>
      refer(member, key === 'responses' ? 'response' : direction, names),
    )
  }
  const own = Object.entries(value).filter(([key]) => annotations.has(key))
  return { $ref: `#/components/schemas/${name}`, ...Object.fromEntries(own) }
}

/** Only a schema with members, items or alternatives has a shape. */
function nameOf(value: Json, names: ReadonlyMap<string, string>): string | undefined {
  const hasShape = value?.properties ?? value?.enum ?? value?.anyOf ?? value?.oneOf ?? value?.items
  return hasShape && names.get(keyOf(value))
}

/** Equal for schemas of one shape. */
function keyOf(value: Json): string {
  const members = Object.entries(value).filter(([key]) => !annotations.has(key))
  return JSON.stringify(Object.fromEntries(members), (_, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}

function mapMembers(value: Json, map: (member: Json, key: string) => Json): Json {
  if (Array.isArray(value)) return value.map((item) => map(item, ''))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, map(member, key)]))
}

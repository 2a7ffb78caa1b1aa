// biome-ignore lint/suspicious/noExplicitAny: a schema is walked keyword by keyword
type Schema = any

type Values = Readonly<Record<string, unknown>>

/** Values of examples. A member whose value is undefined is left out. */
export type ExampleValues = {
  /** By the name of a member or parameter. */
  members?: Values
  /** Members of shapes, by the name of the shape. They go before `members`, and an optional member is added. */
  shapes?: Readonly<Record<string, Values>>
  /** By `operationId.parameter`, `operationId.body` for a body that is not JSON, or `operationId.status`. */
  operations?: Values
}

/**
 * Returns the example of a schema that may refer to the given named ones. That of a request has the required members
 * and those of `shapes`. That of a response also has those of `members`, and lists and objects.
 */
export function exampleOf(
  schema: Schema,
  { members = {}, shapes = {} }: ExampleValues,
  { schemas, isRequest }: { schemas: Readonly<Record<string, Schema>>; isRequest: boolean },
): unknown {
  function find(part: Schema, name: string, shape: string): unknown {
    if (part.$ref) {
      const named = part.$ref.split('/').at(-1)
      return find(schemas[named], named, named)
    }
    if (part.enum) return part.enum[0]
    const [alternative] = part.anyOf ?? part.oneOf ?? []
    if (alternative) return find(alternative, name, shape)
    if (part.items) return [find(part.items, name, shape)]
    if (!part.properties) return plainExample(part, name)
    const { properties, required = [] } = part
    const own = shapes[shape] ?? {}
    const shown = Object.entries<Schema>(properties).map(([member, its]) => {
      const isRequired = required.includes(member)
      if (Object.hasOwn(own, member)) return [member, own[member]]
      if (!isRequired && isRequest) return [member, undefined]
      if (Object.hasOwn(members, member)) return [member, members[member]]
      const isShown = isRequired || its.$ref || its.items || its.type === 'object'
      return [member, isShown ? find(its, member, shape) : undefined]
    })
    return Object.fromEntries(shown.filter(([, value]) => value !== undefined))
  }

  return find(schema, '', '')
}

function plainExample({ type, format, minimum = 1 }: Schema, name: string): unknown {
  const [kind] = [type].flat()
  if (kind === 'integer' || kind === 'number') return Math.max(1, minimum)
  if (kind === 'boolean') return true
  if (kind === 'object') return {}
  if (format === 'date-time') return '2026-11-20T12:06:40.000Z'
  if (format === 'date') return '2026-11-20'
  if (format === 'uuid') return '7d1e9a52-3c46-4f0b-8a77-61c0f4b2d802'
  return name
}

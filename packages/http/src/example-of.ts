// biome-ignore lint/suspicious/noExplicitAny: a schema is walked keyword by keyword
type Schema = any

/**
 * Values by `Shape.member`, `member` or `Shape`: the first of these keys that exists counts. The example of a request
 * has the required members and those with a `Shape.member`. That of a response also has those with a `member`, and
 * lists and objects. A member whose value is undefined is left out. A parameter has the key `operationId.name` or
 * `name`, and a body that is not JSON `operationId.body`. The members of `operationId.status` replace those of the
 * example of the shape of a response.
 */
export type ExampleValues = Readonly<Record<string, unknown>>

type ExampleOf = (schema: Schema, keys?: readonly string[]) => unknown

/** Returns a function that makes examples of schemas which refer to the given named ones. */
export function createExampleOf(
  values: ExampleValues,
  { schemas, isRequest }: { schemas: Readonly<Record<string, Schema>>; isRequest: boolean },
): ExampleOf {
  const isKnown = (key: string) => Object.hasOwn(values, key)

  function isShown(shape: string, name: string, member: Schema): boolean {
    const key = [`${shape}.${name}`, ...(isRequest ? [] : [name])].find(isKnown)
    if (key !== undefined) return values[key] !== undefined
    return !isRequest && Boolean(member.$ref ?? member.items ?? member.type === 'object')
  }

  function exampleOf(schema: Schema, keys: readonly string[], shape: string): unknown {
    const key = keys.find(isKnown)
    if (key !== undefined) return values[key]
    if (schema.$ref) {
      const name = schema.$ref.split('/').at(-1)
      return exampleOf(schemas[name], [name], name)
    }
    const [only] = schema.enum ?? []
    if (only !== undefined) return only
    const [alternative] = schema.anyOf ?? schema.oneOf ?? []
    if (alternative) return exampleOf(alternative, [], shape)
    if (schema.items) return [exampleOf(schema.items, keys, shape)]
    if (!schema.properties) return plainExample(schema, keys)
    const { required = [] } = schema
    return Object.fromEntries(
      Object.entries<Schema>(schema.properties)
        .filter(([name, member]) => required.includes(name) || isShown(shape, name, member))
        .map(([name, member]) => [name, exampleOf(member, [`${shape}.${name}`, name], shape)]),
    )
  }

  return (schema, keys = []) => exampleOf(schema, keys, '')
}

function plainExample({ type, format, minimum = 1 }: Schema, keys: readonly string[]): unknown {
  const [kind] = [type].flat()
  if (kind === 'integer' || kind === 'number') return Math.max(1, minimum)
  if (kind === 'boolean') return true
  if (kind === 'object') return {}
  if (format === 'date-time') return '2026-11-20T12:06:40.000Z'
  if (format === 'date') return '2026-11-20'
  if (format === 'uuid') return '7d1e9a52-3c46-4f0b-8a77-61c0f4b2d802'
  return keys.at(-1) ?? 'text'
}

// biome-ignore lint/suspicious/noExplicitAny: a document is walked keyword by keyword
export type Json = Record<string, any>

/** Returns an OpenAPI document with each component in the place of the references to it. None may contain itself. */
export function dereference(document: Json): Json {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref, ...others } = value as Json
    const members = typeof $ref === 'string' ? { ...find(document, $ref), ...others } : value
    return Object.fromEntries(Object.entries(members).map(([key, each]) => [key, resolve(each)]))
  }
  return resolve(document) as Json
}

/**
 * Returns a dereferenced schema that refuses members which it does not name. Callers must tolerate such members, but we
 * must document what we send.
 */
export function closed(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (_, value) =>
    value?.type === 'object' && value.properties && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value,
  )
}

function find(document: Json, reference: string): Json {
  const [root, ...steps] = reference.split('/')
  const found = root === '#' && steps.reduce<Json | undefined>((at, step) => at?.[step], document)
  if (!found) throw new Error(`The document has no ${reference}`)
  return found
}

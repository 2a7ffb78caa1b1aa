import { jsonSchemaTransform } from 'fastify-type-provider-zod'

/**
 * Returns the JSON schemas of a route. No response is closed, because a later version may add members that a caller must
 * tolerate.
 */
export const describeRoute: typeof jsonSchemaTransform = (route) => {
  const { schema, url } = jsonSchemaTransform(route)
  // A route may have no schema.
  if (!schema?.response) return { schema, url }
  return { schema: { ...schema, response: withoutClosedObjects(schema.response) }, url }
}

function withoutClosedObjects<Schemas>(schemas: Schemas): Schemas {
  return JSON.parse(JSON.stringify(schemas), (key, value) =>
    key === 'additionalProperties' && value === false ? undefined : value,
  )
}

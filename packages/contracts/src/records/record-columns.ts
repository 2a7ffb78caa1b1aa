import { z } from 'zod'
import { type RecordKind, recordSchemas } from './record-kinds.ts'

/** A column of a CSV source: a text member, or a member written as JSON. */
export type RecordColumn = { path: string; holds: 'text' | 'json'; isRequired: boolean }

type JsonSchema = {
  type?: string
  properties?: Record<string, JsonSchema>
  required?: readonly string[]
}

/** Returns the columns that a CSV source of this kind may have, in the order of the schema. */
export function recordColumns(kind: RecordKind): RecordColumn[] {
  return columnsOf(jsonSchemaOf(kind), [], true)
}

/** Returns the required members that are objects. A row of CSV has them even if all their cells are empty. */
export function requiredObjects(kind: RecordKind): string[] {
  const { properties = {}, required = [] } = jsonSchemaOf(kind)
  return required.filter((name) => properties[name]?.properties !== undefined)
}

function columnsOf(
  { type, properties, required = [] }: JsonSchema,
  path: readonly string[],
  isRequired: boolean,
): RecordColumn[] {
  if (properties) {
    return Object.entries(properties).flatMap(([name, member]) =>
      columnsOf(member, [...path, name], isRequired && required.includes(name)),
    )
  }
  return [{ path: path.join('.'), holds: type === 'string' ? 'text' : 'json', isRequired }]
}

function jsonSchemaOf(kind: RecordKind): JsonSchema {
  return z.toJSONSchema(recordSchemas[kind], { io: 'input', reused: 'inline' }) as JsonSchema
}

import { z } from 'zod'
import { type RecordKind, recordSchemas } from './record-kinds.ts'

/** A column of a CSV source: a member that is text, or one that is written as JSON. */
export type RecordColumn = { path: string; holds: 'text' | 'json'; isRequired: boolean }

type JsonSchema = {
  type?: string
  properties?: Record<string, JsonSchema>
  required?: readonly string[]
}

/** The columns that a CSV source of this kind may have, in the order of the schema. */
export function recordColumns(kind: RecordKind): RecordColumn[] {
  return columnsOf(jsonSchemaOf(kind), [], true)
}

/** Members that are objects and may not be absent. A row of CSV has them also when none of their cells is filled. */
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

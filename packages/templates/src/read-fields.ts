import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import type { FieldKind, Group } from './field-kind.ts'
import type { TemplateFault } from './template-fault.ts'

/** The fields of a template, and the check of their values. */
export type Fields = {
  /** The title of the letter: `title` of the schema. */
  title: string
  group: Group
  /** Returns what is wrong with the values, by field. They are as in a sample: JSON, where a list is a list. */
  check(values: unknown): TemplateFault[]
}

/** A text without `maxLength` may have so many code points, and a list without `maxItems` so many entries. */
const textLengthMax = 2_000
const listLengthMax = 10_000
/** A letter is checked with numbers up to this one, unless the schema limits them. */
const numberMax = 999_999_999
const faultsMax = 100

const money = /^-?\d{1,12}\.\d{2}$/
const file = 'fields.json'

/** Members of a schema that have a meaning here. Others are refused, so that none is ignored in silence. */
const common = ['title', 'description', 'examples', 'type']
const members: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'enum', 'format'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties'],
}

type Schema = {
  type: string
  title?: string
  format?: string
  enum?: string[]
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

/**
 * Reads `fields.json`: a JSON Schema (2020-12) of an object. Its properties are texts, numbers, dates (`format: date`),
 * money (`format: money`, such as `12.50`), yes or no, lists and objects. Unknown fields are refused, and a field is
 * required unless the schema has `required` without it.
 */
export function readFields(text: string): { fields: Fields } | { faults: TemplateFault[] } {
  let schema: unknown
  try {
    schema = JSON.parse(text)
  } catch (error) {
    return { faults: [{ place: file, message: `is not JSON: ${(error as Error).message}` }] }
  }
  const faults = faultsOf(schema, '')
  if (faults.length > 0) return { faults }
  const { title, ...own } = schema as Schema & { $schema?: string }
  if (own.type !== 'object') return { faults: [{ place: file, message: 'must be of type object' }] }
  if (!title) return { faults: [{ place: file, message: 'needs a title: that of the letter' }] }
  return { fields: { title, group: groupOf(own), check: checkOf(schema as Schema) } }
}

function faultsOf(schema: unknown, path: string): TemplateFault[] {
  const at = (message: string) => ({ place: file, message: path ? `${path} ${message}` : message })
  if (!isRecord(schema)) return [at('must be an object')]
  const known = typeof schema.type === 'string' ? members[schema.type] : undefined
  if (!known) return [at(`must have a type: ${Object.keys(members).join(', ')}`)]
  const allowed = [...common, ...known, ...(path === '' ? ['$schema'] : [])]
  const faults = Object.keys(schema)
    .filter((name) => !allowed.includes(name))
    .map((name) => at(`has ${name}, which is not supported`))
  if (schema.format !== undefined && schema.format !== 'date' && schema.format !== 'money') {
    faults.push(at('has a format other than date and money'))
  }
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) {
    faults.push(at('has additionalProperties: unknown fields are refused'))
  }
  if (schema.type === 'array') faults.push(...faultsOf(schema.items, `${path}/items`))
  if (schema.type !== 'object') return faults
  if (!isRecord(schema.properties)) return [...faults, at('needs properties')]
  for (const [name, each] of Object.entries(schema.properties)) {
    faults.push(...faultsOf(each, `${path}/${name}`))
  }
  return faults
}

function kindOf(schema: Schema): FieldKind {
  switch (schema.type) {
    case 'string':
      if (schema.format === 'date' || schema.format === 'money') return { kind: schema.format }
      return {
        kind: 'text',
        lengthMin: schema.minLength ?? 0,
        lengthMax: schema.maxLength ?? textLengthMax,
        ...(schema.enum && { choices: schema.enum }),
      }
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        least: schema.minimum ?? -numberMax,
        most: schema.maximum ?? numberMax,
      }
    case 'boolean':
      return { kind: 'yes-or-no' }
    case 'array':
      return {
        kind: 'list',
        lengthMin: schema.minItems ?? 0,
        lengthMax: schema.maxItems ?? listLengthMax,
        items: kindOf(schema.items!),
      }
    default:
      return groupOf(schema)
  }
}

function groupOf({ properties = {}, required }: Schema): Group {
  const kinds = Object.entries(properties).map(([name, each]) => [name, kindOf(each)] as const)
  const optional = required
    ? Object.keys(properties).filter((name) => !required.includes(name))
    : []
  return { kind: 'group', members: Object.fromEntries(kinds), optional }
}

function checkOf(schema: Schema): Fields['check'] {
  const ajv = new Ajv2020({
    allErrors: true,
    formats: { date: isDay, money },
    strict: true,
    strictRequired: true,
    strictTypes: true,
  })
  const validate = ajv.compile(closed(schema))
  return (values) => {
    if (validate(values)) return []
    return (validate.errors ?? []).slice(0, faultsMax).map(faultOf)
  }
}

/** Adds the limits that a schema leaves out. */
function closed(schema: Schema): object {
  switch (schema.type) {
    case 'string':
      return { maxLength: textLengthMax, ...schema }
    case 'array':
      return { maxItems: listLengthMax, ...schema, items: closed(schema.items!) }
    case 'object': {
      const properties = Object.entries(schema.properties ?? {})
      return {
        required: properties.map(([name]) => name),
        ...schema,
        additionalProperties: false,
        properties: Object.fromEntries(properties.map(([name, each]) => [name, closed(each)])),
      }
    }
    default:
      return schema
  }
}

/** A message of ajv names the rule and its limit, never the value. */
function faultOf({ instancePath, keyword, params, message }: ErrorObject): TemplateFault {
  const path = instancePath.slice(1)
  const inPath = (name: string) => (path ? `${path}/${name}` : name)
  if (keyword === 'required')
    return { place: inPath(params.missingProperty), message: 'is missing' }
  if (keyword === 'additionalProperties') {
    return { place: inPath(params.additionalProperty), message: 'is not a field of the template' }
  }
  if (keyword === 'enum') {
    return { place: path, message: `must be one of ${params.allowedValues.join(', ')}` }
  }
  if (keyword === 'format')
    return { place: path, message: formats[params.format as keyof typeof formats] }
  return { place: path, message: message ?? 'is not allowed' }
}

const formats = {
  date: 'must be a day such as 2027-01-31',
  money: 'must be an amount such as 12.50',
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

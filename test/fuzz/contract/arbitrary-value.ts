import fc, { type Arbitrary } from 'fast-check'
import type { Schema } from './operations.ts'

const textCharactersMax = 2_000
const itemsMax = 4
const itemsAtBoundMax = 100
const made = new WeakMap<Schema, Arbitrary<unknown>>()

/**
 * Generates values that a JSON schema of our documents accepts. Values at its bounds are more frequent than by chance.
 */
export function arbitraryValue(schema: Schema): Arbitrary<unknown> {
  const known = made.get(schema)
  if (known) return known
  const arbitrary = makeArbitrary(schema)
  made.set(schema, arbitrary)
  return arbitrary
}

function makeArbitrary(schema: Schema): Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map(arbitraryValue))
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type: string) => arbitraryValue({ ...schema, type })))
  }
  switch (schema.type) {
    case 'string':
      return arbitraryText(schema)
    case 'integer':
      return arbitraryInteger(schema)
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return arbitraryArray(schema)
    case 'object':
      return arbitraryObject(schema)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

/** Characters of machines and of people: accents, other scripts, and characters of two code units. */
const readable = fc.constantFrom(...'abz AZ09-_.,\'"/\\<>&%éßŵŷαЖ中ا\u{1F600}\u0301')

function arbitraryText(schema: Schema): Arbitrary<string> {
  const { minLength = 0, maxLength = textCharactersMax, pattern } = schema
  const special = textOfFormat(schema)
  if (special) return special
  const most = Math.min(maxLength, Math.max(textCharactersMax, minLength))
  if (pattern !== undefined) {
    const [, unit] = /^\^(\[.+\])[+*]\$$/.exec(pattern) ?? []
    // other patterns of our documents limit the length themselves
    if (unit === undefined) return fc.stringMatching(new RegExp(pattern), { size: 'small' })
    const one = fc.stringMatching(new RegExp(`^${unit}$`))
    const least = Math.max(minLength, pattern.endsWith('+$') ? 1 : 0)
    return fc.string({ unit: one, minLength: least, maxLength: Math.min(most, least + 30) })
  }
  // some lengths count code units and others characters, so both kinds are generated
  const exactly = (length: number) => fc.constant('x'.repeat(length))
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.string({
        unit: readable,
        minLength,
        maxLength: Math.min(most, minLength + 30),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.string({
        unit: 'grapheme',
        minLength,
        maxLength: Math.min(most, minLength + 10),
      }),
    },
    { weight: 1, arbitrary: exactly(minLength) },
    { weight: 1, arbitrary: exactly(most) },
  )
}

const from = new Date('2015-01-01T00:00:00Z')
const to = new Date('2035-01-01T00:00:00Z')
const dateTime = fc
  .date({ min: from, max: to, noInvalidDate: true })
  .map((date) => date.toISOString())

function textOfFormat({ format, pattern = '' }: Schema): Arbitrary<string> | undefined {
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time') return dateTime
  if (format === 'date') return dateTime.map((text) => text.slice(0, 10))
  // callbacks may go there later: only to this machine, and to names that do not resolve
  if (pattern.startsWith('^https?:')) {
    const origin = fc.constantFrom(
      'http://127.0.0.1:65535',
      'https://127.0.0.1:65535',
      'http://[::1]:65535',
      'http://nowhere.invalid',
    )
    return fc.tuple(origin, fc.webPath({ size: 'small' })).map(([start, path]) => start + path)
  }
  return undefined
}

function arbitraryInteger(schema: Schema): Arbitrary<number> {
  const min = schema.minimum ?? schema.exclusiveMinimum + 1
  const max = schema.maximum ?? schema.exclusiveMaximum - 1
  return fc.integer({
    min: Number.isNaN(min) ? -1_000 : min,
    max: Number.isNaN(max) ? 1_000 : Math.min(max, 2 ** 31 - 1),
  })
}

function arbitraryArray({ items = {}, minItems = 0, maxItems = itemsMax }: Schema) {
  const item = arbitraryValue(items)
  const few = fc.array(item, {
    minLength: minItems,
    maxLength: Math.min(maxItems, minItems + itemsMax),
  })
  // a full array of objects would make a body of many megabytes
  if (maxItems > itemsAtBoundMax || items.properties || items.anyOf) return few
  const full = fc.array(item, { minLength: maxItems, maxLength: maxItems })
  return fc.oneof({ weight: 9, arbitrary: few }, { weight: 1, arbitrary: full })
}

function arbitraryObject({
  properties,
  required = [],
  additionalProperties,
  propertyNames,
}: Schema): Arbitrary<unknown> {
  if (!properties) {
    const key = propertyNames ? arbitraryText(propertyNames) : fc.string({ maxLength: 10 })
    const value = arbitraryValue(additionalProperties || {})
    return fc.dictionary(key, value, { maxKeys: itemsMax })
  }
  const members = Object.fromEntries(
    Object.entries<Schema>(properties).map(([name, schema]) => [name, arbitraryValue(schema)]),
  )
  return fc.record(members, { requiredKeys: required, noNullPrototype: true })
}

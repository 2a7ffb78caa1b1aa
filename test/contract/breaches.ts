import { renderPath } from '@despatch/domain/json/path'
import type { Schema } from '../fuzz/contract/operations.ts'

/** The place of a breach as services name it, and the code of the broken rule: one of these. */
export type Fault = { field: string; codes: readonly string[] }
/** A value that breaks a schema in one place. */
export type Breach = Fault & { value: unknown }

type Break = (code: string | readonly string[], value: unknown) => Breach
type Place = { path: readonly (string | number)[]; replace: (value: unknown) => unknown }

/** Longer texts and lists take long to send, and show no more. */
const sizeMax = 50_000

/**
 * Returns a breach of each rule of the schema at each place of a value that keeps it. Objects that the value does not
 * have, and places with a choice between shapes, are left out: their rules depend on each other.
 */
export function breachesOf(
  given: Schema,
  sound: unknown,
  place: Place = { path: [], replace: (value) => value },
): Breach[] {
  const schema = withoutNull(given)
  const breaks: Break = (code, value) => ({
    field: renderPath(place.path),
    codes: [code].flat(),
    value: place.replace(value),
  })
  switch (schema.type) {
    case 'object':
      if (sound === undefined && place.path.length > 0) return []
      return [breaks('TypeMismatch', 'text'), ...breachesOfObject(schema, sound ?? {}, place)]
    case 'array':
      return [breaks('TypeMismatch', 'text'), ...breachesOfList(schema, sound, breaks, place)]
    case 'string':
      return [breaks('TypeMismatch', 7), ...breachesOfText(schema, breaks)]
    case 'integer':
    case 'number':
      return [breaks('TypeMismatch', 'text'), ...breachesOfNumber(schema, breaks)]
    case 'boolean':
      return [breaks('TypeMismatch', 'text')]
    default:
      return []
  }
}

function breachesOfText(
  { enum: values, minLength = 0, maxLength = sizeMax, pattern }: Schema,
  breaks: Break,
): Breach[] {
  if (values) return [breaks('InvalidFormat', 'no such value')]
  const tooShort = 'x'.repeat(Math.max(minLength - 1, 0))
  const unlike = pattern && textUnlike(new RegExp(pattern), Math.max(minLength, 1))
  return [
    ...(minLength > 0 ? [breaks(minLength === 1 ? 'NotEmpty' : 'Size', tooShort)] : []),
    ...(maxLength < sizeMax ? [breaks('Size', 'x'.repeat(maxLength + 1))] : []),
    // a format that is more than a pattern has a code of its own
    ...(unlike ? [breaks(['Pattern', 'Invalid'], unlike)] : []),
  ]
}

function breachesOfNumber({ type, minimum, maximum }: Schema, breaks: Break): Breach[] {
  return [
    ...(type === 'integer' ? [breaks('TypeMismatch', 1.5)] : []),
    ...(minimum === undefined ? [] : [breaks('Min', minimum - 1)]),
    ...(maximum < Number.MAX_SAFE_INTEGER ? [breaks('Max', maximum + 1)] : []),
  ]
}

function breachesOfObject(
  { properties = {}, required = [], additionalProperties }: Schema,
  sound: object,
  { path, replace }: Place,
): Breach[] {
  const at = (name: string): Place => ({
    path: [...path, name],
    replace: (value) => replace({ ...sound, [name]: value }),
  })
  const breaks = (name: string, code: string, value: unknown): Breach => ({
    field: renderPath([...path, name]),
    codes: [code],
    value: at(name).replace(value),
  })
  return [
    // what is undefined is not sent
    ...required.map((name: string) => breaks(name, 'NotNull', undefined)),
    ...(additionalProperties === false ? [breaks('extra', 'Unknown', 1)] : []),
    ...Object.entries<Schema>(properties).flatMap(([name, member]) =>
      breachesOf(member, (sound as Record<string, unknown>)[name], at(name)),
    ),
  ]
}

function breachesOfList(
  { items, minItems = 0, maxItems = sizeMax }: Schema,
  sound: unknown,
  breaks: Break,
  { path, replace }: Place,
): Breach[] {
  const [first, ...others]: readonly unknown[] = Array.isArray(sound) ? sound : []
  return [
    ...(minItems > 0 ? [breaks('NotEmpty', [])] : []),
    ...(maxItems < sizeMax && first !== undefined
      ? [breaks('Size', Array(maxItems + 1).fill(first))]
      : []),
    ...breachesOf(items, first, {
      path: [...path, 0],
      replace: (value) => replace([value, ...others]),
    }),
  ]
}

function withoutNull(schema: Schema): Schema {
  const others = schema.anyOf?.filter(({ type }: Schema) => type !== 'null')
  return others?.length === 1 ? others[0] : schema
}

function textUnlike(pattern: RegExp, length: number): string | undefined {
  return ['?', ' ', '~', '\n'].map((one) => one.repeat(length)).find((text) => !pattern.test(text))
}

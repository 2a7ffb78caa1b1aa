import { renderPath } from '@despatch/domain/json/path'
import type { Schema } from '../fuzz/contract/operations.ts'

type Path = readonly (string | number)[]
/** A value at a path that breaks a rule, and the code of the rule: one of these. Undefined is left out. */
export type Breach = { path: Path; codes: readonly string[]; value: unknown }

type Break = (code: string | readonly string[], value: unknown, ...below: string[]) => Breach

/** Longer texts and lists take long to send, and show no more. */
const sizeMax = 50_000

/**
 * Returns a breach of each rule of the schema at each place of a value that keeps it. Objects that the value does not
 * have, and places with a choice between shapes, are left out: their rules depend on each other.
 */
export function breachesOf(given: Schema, sound: unknown, path: Path = []): Breach[] {
  const schema = withoutNull(given)
  const breaks: Break = (code, value, ...below) => ({
    path: [...path, ...below],
    codes: [code].flat(),
    value,
  })
  switch (schema.type) {
    case 'object':
      if (sound === undefined && path.length > 0) return []
      return [
        ...breachesOfObject(schema, sound ?? {}, breaks, path),
        breaks('TypeMismatch', 'text'),
      ]
    case 'array':
      return [...breachesOfList(schema, sound, breaks, path), breaks('TypeMismatch', 'text')]
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

/**
 * Divides breaches into groups that one request can have together, because a service reports all of them. None is
 * inside another.
 */
export function groupsOf(breaches: readonly Breach[]): Breach[][] {
  const groups: Breach[][] = []
  for (const breach of breaches) {
    const free = groups.find((group) => group.every(({ path }) => areApart(path, breach.path)))
    if (free) free.push(breach)
    else groups.push([breach])
  }
  return groups
}

/** Returns a copy of the value with these breaches. */
export function broken(sound: unknown, breaches: readonly Breach[]): unknown {
  const holder: Record<string, unknown> = { root: structuredClone(sound) }
  for (const { path, value } of breaches) {
    const steps = ['root', ...path]
    const last = steps.pop()!
    let parent = holder
    for (const [index, step] of steps.entries()) {
      parent[step] ??= typeof (steps[index + 1] ?? last) === 'number' ? [] : {}
      parent = parent[step] as Record<string, unknown>
    }
    parent[last] = value
  }
  return holder.root
}

/** Returns the place of a breach as services name it. */
export function fieldOf({ path }: Breach): string {
  return renderPath(path)
}

function areApart(one: Path, other: Path): boolean {
  const length = Math.min(one.length, other.length)
  return one.slice(0, length).some((step, index) => step !== other[index])
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
  breaks: Break,
  path: Path,
): Breach[] {
  return [
    ...Object.entries<Schema>(properties).flatMap(([name, member]) =>
      breachesOf(member, (sound as Record<string, unknown>)[name], [...path, name]),
    ),
    ...required.map((name: string) => breaks('NotNull', undefined, name)),
    ...(additionalProperties === false ? [breaks('Unknown', 1, 'extra')] : []),
  ]
}

function breachesOfList(
  { items, minItems = 0, maxItems = sizeMax }: Schema,
  sound: unknown,
  breaks: Break,
  path: Path,
): Breach[] {
  const [first]: readonly unknown[] = Array.isArray(sound) ? sound : []
  return [
    ...breachesOf(items, first, [...path, 0]),
    ...(minItems > 0 ? [breaks('NotEmpty', [])] : []),
    ...(maxItems < sizeMax && first !== undefined
      ? [breaks('Size', Array(maxItems + 1).fill(first))]
      : []),
  ]
}

function withoutNull(schema: Schema): Schema {
  const others = schema.anyOf?.filter(({ type }: Schema) => type !== 'null')
  return others?.length === 1 ? others[0] : schema
}

function textUnlike(pattern: RegExp, length: number): string | undefined {
  return ['?', ' ', '~', '\n'].map((one) => one.repeat(length)).find((text) => !pattern.test(text))
}

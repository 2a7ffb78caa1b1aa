import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { dereference, type Json } from './dereference.ts'

/** Whether the caller writes a value or reads it. */
type Direction = 'written' | 'read'

const methods = ['get', 'put', 'post', 'delete', 'patch']

/**
 * Returns the changes from one OpenAPI document to another that can break a caller of the old one. These are an
 * operation, a member, a header, a success status, a security scheme or a named schema that is removed. So are a
 * request that is refused or means something else, and a member of a response that can be absent, of another type or
 * under another name. A caller must tolerate new members and enum values of responses. Each change says what it was and
 * what it is, so that one that is accepted hides no other at the same place.
 */
export function breakingChanges(before: Json, after: Json): string[] {
  const [old, current] = [dereference(before), dereference(after)]
  const names = Object.keys(before.components?.schemas ?? {})
  const lost = names.filter((name) => !Object.hasOwn(after.components?.schemas ?? {}, name))
  return [
    ...lost.map((name) => `schema ${name}: removed`),
    ...schemeChanges(before.components?.securitySchemes, after.components?.securitySchemes),
    ...eachOperation(old.paths).flatMap(([path, method, operation]) =>
      operationChanges(operation, current.paths[path]?.[method], `${method} ${path}`),
    ),
    ...eachOperation(old.webhooks ?? {}).flatMap(([name, method, webhook]) =>
      webhookChanges(webhook, current.webhooks?.[name]?.[method], `webhook ${name}`),
    ),
  ]
}

/**
 * Returns the breaking changes between the documents of two releases, by path. A document that is new breaks nobody, and
 * one without a breaking change has no entry.
 */
export function documentChanges(
  before: Readonly<Record<string, Json>>,
  after: Readonly<Record<string, Json>>,
): Record<string, string[]> {
  const changes = Object.entries(before).map(([path, old]): [string, string[]] => {
    const current = after[path]
    return [path, current ? breakingChanges(old, current).sort() : ['document removed']]
  })
  return Object.fromEntries(changes.filter(([, found]) => found.length > 0))
}

function eachOperation(paths: Json): [string, string, Json][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method): [string, string, Json] => [path, method, item[method]]),
  )
}

function schemeChanges(old: Json = {}, current: Json = {}): string[] {
  const meaning = ({ type, in: place, name, scheme }: Json) => ({ type, in: place, name, scheme })
  return Object.keys(old).flatMap((name) => {
    const at = `security scheme ${name}`
    if (!current[name]) return [`${at}: removed`]
    return changed(meaning(old[name]), meaning(current[name]), `${at}: changed`)
  })
}

/** Returns the change with what it was and is, or nothing if both are equal. */
function changed(old: unknown, current: unknown, change: string): string[] {
  return isDeepStrictEqual(old, current) ? [] : [`${change}: ${textOf(old)} → ${textOf(current)}`]
}

const textCharactersMax = 120

/** A long value is written as its hash. */
function textOf(value: unknown): string {
  if (value === undefined) return 'none'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= textCharactersMax ? text : hash('sha256', text).slice(0, 16)
}

function operationChanges(old: Json, current: Json | undefined, at: string): string[] {
  if (!current) return [`${at}: removed`]
  return [
    ...changed(old.operationId, current.operationId, `${at}: operationId changed`),
    ...(acceptsCredentialsOf(old, current)
      ? []
      : changed(old.security, current.security, `${at}: needs other credentials`)),
    ...parameterChanges(old.parameters ?? [], current.parameters ?? [], at),
    ...bodyChanges(old.requestBody, current.requestBody, at),
    ...responseChanges(old.responses, current.responses, at),
  ]
}

function webhookChanges(old: Json, current: Json | undefined, at: string): string[] {
  if (!current) return [`${at}: removed`]
  return [
    ...sentHeaderChanges(old.parameters, current.parameters, at),
    ...contentChanges(old.requestBody.content, current.requestBody.content, 'read', at),
  ]
}

/** Returns the changes of the headers that a webhook is sent with. */
function sentHeaderChanges(old: Json[] = [], current: Json[] = [], at: string): string[] {
  return old.flatMap((header) => {
    const place = `${at} header ${header.name}`
    const now = current.find(({ name }) => name === header.name)
    if (!now) return [`${place}: removed`]
    return [
      ...(header.required && !now.required ? [`${place}: may be absent`] : []),
      ...schemaChanges(header.schema, now.schema, 'read', place),
    ]
  })
}

/** True if each set of credentials that was enough is still enough. */
function acceptsCredentialsOf(old: Json, current: Json): boolean {
  const sets = ({ security = [{}] }: Json): string[][] => {
    const named = security.map((each: Json) => Object.keys(each))
    return named.length > 0 ? named : [[]]
  }
  return sets(old).every((given) =>
    sets(current).some((wanted) => wanted.every((scheme) => given.includes(scheme))),
  )
}

function parameterChanges(old: Json[], current: Json[], at: string): string[] {
  const isSame = (one: Json) => (other: Json) => one.name === other.name && one.in === other.in
  const added = current.filter((each) => each.required && !old.some(isSame(each)))
  return [
    ...added.map(({ name }) => `${at} ?${name}: new and required`),
    ...old.flatMap((parameter) => {
      const place = `${at} ?${parameter.name}`
      const now = current.find(isSame(parameter))
      if (!now) return [`${place}: removed`]
      return [
        ...(now.required && !parameter.required ? [`${place}: required`] : []),
        ...schemaChanges(parameter.schema, now.schema, 'written', place),
      ]
    }),
  ]
}

function bodyChanges(old: Json | undefined, current: Json | undefined, at: string): string[] {
  if (!old) return current?.required ? [`${at}: a body is required`] : []
  if (!current) return [`${at}: body removed`]
  return [
    ...(current.required && !old.required ? [`${at}: a body is required`] : []),
    ...contentChanges(old.content, current.content, 'written', at),
  ]
}

function responseChanges(old: Json, current: Json, at: string): string[] {
  return Object.entries(old).flatMap(([status, { content = {}, headers = {} }]) => {
    const place = `${at} ${status}`
    const now = current[status]
    if (!now) return /^[23]/.test(status) ? [`${place}: removed`] : []
    return [
      ...Object.entries<Json>(headers).flatMap(([name, header]) =>
        now.headers?.[name]
          ? schemaChanges(
              header.schema,
              now.headers[name].schema,
              'read',
              `${place} header ${name}`,
            )
          : [`${place} header ${name}: removed`],
      ),
      ...contentChanges(content, now.content ?? {}, 'read', place),
    ]
  })
}

function contentChanges(old: Json, current: Json, direction: Direction, at: string): string[] {
  return Object.entries(old).flatMap(([type, media]) =>
    current[type]
      ? schemaChanges(media.schema, current[type].schema, direction, at)
      : [`${at}: ${type} removed`],
  )
}

function schemaChanges(old: Json, current: Json, direction: Direction, at: string): string[] {
  const [from, to] = direction === 'written' ? [old, current] : [current, old]
  // What is possible on one side must be possible on the other.
  const alternatives = [alternativesOf(from), alternativesOf(to)] as const
  if (alternatives.some(({ length }) => length > 1)) {
    const isKept = alternatives[0].every((one) =>
      alternatives[1].some((other) => {
        const [before, after] = direction === 'written' ? [one, other] : [other, one]
        return schemaChanges(before, after, direction, at).length === 0
      }),
    )
    return isKept ? [] : changed(bareOf(old), bareOf(current), `${at}: alternatives changed`)
  }
  const isTypeKept = typesOf(from).every((type) => isTypeOf(to, type))
  return [
    ...(isTypeKept ? [] : changed(old.type, current.type, `${at}: type changed`)),
    ...(direction === 'written'
      ? limitChanges(old, current, at)
      : meaningChanges(old, current, at)),
    ...memberChanges(old, current, direction, at),
    ...partChanges(old.items, current.items, direction, `${at}[]`),
    ...partChanges(mapOf(old), mapOf(current), direction, `${at}{}`),
  ]
}

/** Returns the changes of what each item of a list or each value of a map is. Undefined: anything. */
function partChanges(
  old: Json | undefined,
  current: Json | undefined,
  direction: Direction,
  at: string,
): string[] {
  if (old && current) return schemaChanges(old, current, direction, at)
  if (direction === 'read') return old ? [`${at}: removed`] : []
  return current ? [`${at}: narrower: none → ${textOf(current)}`] : []
}

/** Returns the schema of the values of a map. */
function mapOf({ additionalProperties }: Json): Json | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

/** Returns what a reader can no longer understand. Values that are only new, or are no longer sent, break nobody. */
function meaningChanges(old: Json, current: Json, at: string): string[] {
  const lost = (old.enum ?? []).filter((value: unknown) => !current.enum?.includes(value))
  const isReplaced = current.enum?.some((value: unknown) => !old.enum?.includes(value))
  return [
    ...changed(old.format, current.format, `${at}: format changed`),
    ...(isReplaced && lost.length > 0 ? changed(old.enum, current.enum, `${at}: replaced`) : []),
  ]
}

/** Returns a schema without its descriptions, which break nobody. */
function bareOf(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  )
}

function alternativesOf({ anyOf, oneOf, ...schema }: Json): Json[] {
  return anyOf ?? oneOf ?? [schema]
}

function typesOf({ type = 'any' }: Json): string[] {
  return [type].flat()
}

function isTypeOf(schema: Json, type: string): boolean {
  const types = typesOf(schema)
  const isWider = types.includes('any') || (type === 'integer' && types.includes('number'))
  return isWider || types.includes(type)
}

function memberChanges(old: Json, current: Json, direction: Direction, at: string): string[] {
  const { properties: members = {}, required = [] } = old
  const { properties: now = {}, required: requiredNow = [] } = current
  const newlyRequired = requiredNow.filter((name: string) => !required.includes(name))
  const newlyOptional = required.filter((name: string) => now[name] && !requiredNow.includes(name))
  return [
    ...(direction === 'written' ? newlyRequired : []).map(
      (name: string) => `${at}.${name}: required`,
    ),
    ...(direction === 'read' ? newlyOptional : []).map(
      (name: string) => `${at}.${name}: may be absent`,
    ),
    ...Object.entries<Json>(members).flatMap(([name, member]) =>
      now[name]
        ? schemaChanges(member, now[name], direction, `${at}.${name}`)
        : [`${at}.${name}: removed`],
    ),
  ]
}

/** Returns what makes a request invalid that was valid, or gives it another meaning. */
function limitChanges(old: Json, current: Json, at: string): string[] {
  const isLower = (limit: string) => (current[limit] ?? Infinity) < (old[limit] ?? Infinity)
  const isHigher = (limit: string) => (current[limit] ?? -Infinity) > (old[limit] ?? -Infinity)
  const narrower = [
    ...['maxLength', 'maximum', 'maxItems', 'exclusiveMaximum'].filter(isLower),
    ...['minLength', 'minimum', 'minItems', 'exclusiveMinimum'].filter(isHigher),
    ...['pattern', 'format'].filter((rule) => current[rule] !== undefined),
    ...(current.additionalProperties === false ? ['additionalProperties'] : []),
  ]
  const lost = current.enum
    ? (old.enum ?? ['any value']).filter((value: unknown) => !current.enum.includes(value))
    : []
  return [
    ...narrower.flatMap((rule) => changed(old[rule], current[rule], `${at}: narrower: ${rule}`)),
    ...lost.map((value: unknown) => `${at}: ${value} refused`),
    ...(old.default === undefined
      ? []
      : changed(old.default, current.default, `${at}: default changed`)),
  ]
}

import { dereference, type Json } from './dereference.ts'

/** Whether the caller writes a value or reads it. */
type Direction = 'written' | 'read'

const methods = ['get', 'put', 'post', 'delete', 'patch']

/**
 * Returns the changes from one OpenAPI document to another that can break a caller of the old one: an operation, a
 * member, a success status or a named schema that is removed, a request that is refused but was accepted, and a member
 * of a response that can be absent or of another type. A caller must tolerate new members and enum values of responses.
 */
export function breakingChanges(before: Json, after: Json): string[] {
  const [old, current] = [dereference(before), dereference(after)]
  const names = Object.keys(before.components?.schemas ?? {})
  const lost = names.filter((name) => !Object.hasOwn(after.components?.schemas ?? {}, name))
  return [
    ...lost.map((name) => `schema ${name}: removed`),
    ...eachOperation(old.paths).flatMap(([path, method, operation]) =>
      operationChanges(operation, current.paths[path]?.[method], `${method} ${path}`),
    ),
    ...eachOperation(old.webhooks ?? {}).flatMap(([name, method, webhook]) =>
      webhookChanges(webhook, current.webhooks?.[name]?.[method], `webhook ${name}`),
    ),
  ]
}

function eachOperation(paths: Json): [string, string, Json][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method): [string, string, Json] => [path, method, item[method]]),
  )
}

function operationChanges(old: Json, current: Json | undefined, at: string): string[] {
  if (!current) return [`${at}: removed`]
  return [
    ...(old.operationId === current.operationId ? [] : [`${at}: operationId changed`]),
    ...(acceptsCredentialsOf(old, current) ? [] : [`${at}: needs other credentials`]),
    ...parameterChanges(old.parameters ?? [], current.parameters ?? [], at),
    ...bodyChanges(old.requestBody, current.requestBody, at),
    ...responseChanges(old.responses, current.responses, at),
  ]
}

function webhookChanges(old: Json, current: Json | undefined, at: string): string[] {
  if (!current) return [`${at}: removed`]
  return contentChanges(old.requestBody.content, current.requestBody.content, 'read', at)
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
      if (now.required && !parameter.required) return [`${place}: required`]
      return schemaChanges(parameter.schema, now.schema, 'written', place)
    }),
  ]
}

function bodyChanges(old: Json | undefined, current: Json | undefined, at: string): string[] {
  if (!old) return current?.required ? [`${at}: a body is required`] : []
  if (!current) return [`${at}: body removed`]
  if (current.required && !old.required) return [`${at}: a body is required`]
  return contentChanges(old.content, current.content, 'written', at)
}

function responseChanges(old: Json, current: Json, at: string): string[] {
  return Object.entries(old).flatMap(([status, { content = {} }]) => {
    const place = `${at} ${status}`
    if (!current[status]) return /^[23]/.test(status) ? [`${place}: removed`] : []
    return contentChanges(content, current[status].content ?? {}, 'read', place)
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
    return isKept ? [] : [`${at}: alternatives changed`]
  }
  if (!typesOf(from).every((type) => isTypeOf(to, type))) return [`${at}: type changed`]
  return [
    ...(direction === 'written' ? limitChanges(old, current, at) : []),
    ...(direction === 'read' && old.format !== current.format ? [`${at}: format changed`] : []),
    ...memberChanges(old, current, direction, at),
    ...(old.items && current.items
      ? schemaChanges(old.items, current.items, direction, `${at}[]`)
      : []),
  ]
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

/** Returns what makes a request invalid that was valid. */
function limitChanges(old: Json, current: Json, at: string): string[] {
  const isLower = ['maxLength', 'maximum', 'maxItems', 'exclusiveMaximum'].some(
    (limit) => (current[limit] ?? Infinity) < (old[limit] ?? Infinity),
  )
  const isHigher = ['minLength', 'minimum', 'minItems', 'exclusiveMinimum'].some(
    (limit) => (current[limit] ?? -Infinity) > (old[limit] ?? -Infinity),
  )
  const isNew = ['pattern', 'format', 'additionalProperties'].some(
    (rule) => current[rule] !== undefined && !isEqual(current[rule], old[rule]),
  )
  const lost = current.enum
    ? (old.enum ?? ['any value']).filter((value: unknown) => !current.enum.includes(value))
    : []
  return [
    ...(isLower || isHigher || isNew ? [`${at}: narrower`] : []),
    ...lost.map((value: unknown) => `${at}: ${value} refused`),
  ]
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

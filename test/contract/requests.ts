import type { Operation, Parameter } from '../fuzz/contract/operations.ts'
import { type Breach, breachesOf, broken, fieldOf, groupsOf } from './breaches.ts'

export type Values = Readonly<Record<string, string | readonly string[]>>
/** A request to an operation, apart from its credentials. */
export type OperationRequest = { path: Values; query: Values; headers: Values; body?: string }
/** The field of a violation, and the code of the rule: one of these. */
export type Fault = { field: string; codes: readonly string[] }
export type BrokenRequest = { faults: readonly Fault[]; request: OperationRequest }

const places = [
  { place: 'path', part: 'path' },
  { place: 'query', part: 'query' },
  { place: 'header', part: 'headers' },
] as const

/** Returns a request with the example values of the document, which keeps every rule of it. */
export function soundRequest({ parameters, body }: Operation): OperationRequest {
  const valuesOf = (place: Parameter['in']) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place && parameter.required)
        .map(({ name, example = 'x' }) => [name, String(example)]),
    )
  return {
    path: valuesOf('path'),
    query: valuesOf('query'),
    headers: valuesOf('header'),
    ...(body?.contentType === 'application/json' && { body: JSON.stringify(body.example) }),
  }
}

/** Returns requests that together break every rule of the document. Each has violations in one of its parts. */
export function brokenRequests(operation: Operation): BrokenRequest[] {
  const sound = soundRequest(operation)
  const { parameters, body } = operation
  const ofParameters = places.flatMap(({ place, part }) =>
    groupsOf(
      parameters.filter((each) => each.in === place && isOwn(each)).flatMap(breachesOfOne),
    ).map((group) => ({
      faults: faultsOf(group),
      request: { ...sound, [part]: sent(broken(sound[part], group)) },
    })),
  )
  return [...(sound.body === undefined ? [] : brokenBodies(body!, sound)), ...ofParameters]
}

function brokenBodies(
  { isRequired, schema, example }: NonNullable<Operation['body']>,
  sound: OperationRequest,
): BrokenRequest[] {
  const { body: _, ...without } = sound
  return [
    ...(isRequired ? [{ faults: [{ field: 'body', codes: ['NotNull'] }], request: without }] : []),
    ...groupsOf(breachesOf(schema, example)).map((group) => ({
      faults: faultsOf(group),
      request: { ...sound, body: JSON.stringify(broken(example, group)) },
    })),
  ]
}

/** Headers of all operations are not refused: a wrong one is replaced, or ignored. */
function isOwn({ in: place, name }: Parameter): boolean {
  return place !== 'header' || !name.toLowerCase().startsWith('x-')
}

function breachesOfOne({ in: place, name, required, schema, example }: Parameter): Breach[] {
  const path = [name]
  // a parameter is a text, and an empty one in a path makes another address
  const isPossible = ({ codes, value }: Breach) =>
    schema.type !== 'string' ||
    (!codes.includes('TypeMismatch') && (place !== 'path' || value !== ''))
  const twice = { path, codes: ['TypeMismatch', 'InvalidFormat'], value: ['1', '1'] }
  return [
    ...breachesOf(schema, example, path)
      .filter(isPossible)
      .map((breach) => ({ ...breach, value: String(breach.value) })),
    ...(required && place !== 'path' ? [{ path, codes: ['NotNull'], value: undefined }] : []),
    ...(place === 'query' ? [twice] : []),
  ]
}

/** Returns a value as JSON carries it: what is undefined is left out. */
function sent(value: unknown) {
  return JSON.parse(JSON.stringify(value))
}

function faultsOf(group: readonly Breach[]): Fault[] {
  return group.map((breach) => ({ field: fieldOf(breach), codes: breach.codes }))
}

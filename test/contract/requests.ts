import type { Operation, Parameter } from '../fuzz/contract/operations.ts'
import { type Breach, breachesOf, type Fault } from './breaches.ts'

export type Values = Readonly<Record<string, string | readonly string[]>>

/** A request to an operation, apart from its credentials. */
export type OperationRequest = { path: Values; query: Values; headers: Values; body?: string }
export type BrokenRequest = { fault: Fault; request: OperationRequest }

const partOf = { path: 'path', query: 'query', header: 'headers' } as const

/** Returns a request with the example values of the document, which keeps every rule of it. */
export function soundRequest({ parameters, body }: Operation): OperationRequest {
  const valuesOf = (place: Parameter['in']) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place && parameter.required)
        .map(({ name, example = 'x' }) => [name, String(example)]),
    )
  return {
    ...{ path: valuesOf('path'), query: valuesOf('query'), headers: valuesOf('header') },
    ...(body?.contentType === 'application/json' && { body: JSON.stringify(body.example) }),
  }
}

/** Returns the requests that break a rule of the document each, in the body or in a parameter. */
export function brokenRequests(operation: Operation): BrokenRequest[] {
  const sound = soundRequest(operation)
  const { parameters, body } = operation
  return [
    ...(sound.body === undefined ? [] : brokenBodies(body!, sound)),
    ...parameters.filter(isOwn).flatMap((each) => brokenParameters(each, sound)),
  ]
}

function brokenBodies(
  { isRequired, schema, example }: NonNullable<Operation['body']>,
  sound: OperationRequest,
): BrokenRequest[] {
  const { body: _, ...without } = sound
  return [
    ...(isRequired ? [{ fault: { field: 'body', codes: ['NotNull'] }, request: without }] : []),
    ...breachesOf(schema, example).map(({ value, ...fault }) => ({
      fault,
      request: { ...sound, body: JSON.stringify(value) },
    })),
  ]
}

/** Headers of all operations are not refused: a wrong one is replaced, or ignored. */
function isOwn({ in: place, name }: Parameter): boolean {
  return place !== 'header' || !name.toLowerCase().startsWith('x-')
}

function brokenParameters(
  { in: place, name, required, schema, example }: Parameter,
  sound: OperationRequest,
): BrokenRequest[] {
  const part = partOf[place]
  const { [name]: _, ...others } = sound[part]
  const broken = (codes: readonly string[], value?: string | readonly string[]): BrokenRequest => ({
    fault: { field: name, codes },
    request: { ...sound, [part]: { ...others, ...(value !== undefined && { [name]: value }) } },
  })
  // a parameter is a text, and an empty one in a path makes another address
  const isPossible = ({ codes, value }: Breach) =>
    schema.type !== 'string' ||
    (!codes.includes('TypeMismatch') && (place !== 'path' || value !== ''))
  return [
    ...(required && place !== 'path' ? [broken(['NotNull'])] : []),
    ...(place === 'query' ? [broken(['TypeMismatch', 'InvalidFormat'], ['1', '1'])] : []),
    ...breachesOf(schema, example)
      .filter(isPossible)
      .map(({ codes, value }) => broken(codes, String(value))),
  ]
}

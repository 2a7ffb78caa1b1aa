import { arbitraryValue } from './arbitrary-value.ts'
import { type Callers, callerNames, callerOf } from './callers.ts'
import type { Draw } from './draw.ts'
import type { KnownValues } from './known-values.ts'
import type { Operation, Parameter } from './operations.ts'
import { awkwardWord, spoil, spoilBytes } from './spoil.ts'

/** A request as it is sent. Credentials are separate, since they are never printed. */
export type FuzzRequest = {
  operation: Operation
  /** Path parameters as they occur in the path: encoded, or deliberately raw. */
  path: Readonly<Record<string, string>>
  /** Each as `name=value`, encoded as it is sent. */
  query: readonly string[]
  headers: Readonly<Record<string, string>>
  credentials: Readonly<Record<string, string>>
  /** Whose credentials these are, in words. */
  as: string
  body?: Buffer
  isChunked?: boolean
  /** The body was damaged as bytes, so it cannot be minimised member by member. */
  isSpoiltAsBytes?: boolean
}

/** The material of requests, in addition to the schemas. */
export type Material = { callers: Callers; known: KnownValues }

/** Makes a request of the operation. Most parts are valid, and usually one is invalid. */
export function makeRequest(operation: Operation, material: Material, draw: Draw): FuzzRequest {
  const { known } = material
  const parametersIn = (place: Parameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === place)
  const body = makeBody(operation, material, draw)
  return {
    operation,
    path: Object.fromEntries(
      parametersIn('path').map((parameter) => [parameter.name, pathValue(parameter, known, draw)]),
    ),
    query: makeQuery(parametersIn('query'), known, draw),
    headers: {
      ...makeHeaders(parametersIn('header'), known, draw),
      ...(body && contentTypeHeaders(operation, draw)),
    },
    ...makeCredentials(operation, material, draw),
    ...body,
  }
}

export function targetOf({ operation, path, query }: FuzzRequest): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name) => path[name]!)
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled
}

const knownPercent = 75

function soundValue(
  { name, schema }: Pick<Parameter, 'name' | 'schema'>,
  known: KnownValues,
  draw: Draw,
): unknown {
  const value = draw.percent(knownPercent) ? known.draw(name, draw) : undefined
  return value ?? draw.from(arbitraryValue(schema))
}

function pathValue(parameter: Parameter, known: KnownValues, draw: Draw): string {
  if (!draw.percent(12)) {
    const sound = String(soundValue(parameter, known, draw))
    // the value "slow" delays the answer by 20 seconds, so it is replaced
    return encode(sound === 'slow' ? '204' : sound)
  }
  const text = awkwardWord(draw)
  // with a slash, a question mark or an empty text, the address would belong to another operation
  const isRaw = draw.percent(40) && /^[\x21-\x7e]+$/.test(text) && !/[/?#]/.test(text)
  return isRaw ? text : encode(text) || '%20'
}

function makeQuery(parameters: readonly Parameter[], known: KnownValues, draw: Draw): string[] {
  const query = parameters.flatMap((parameter) => {
    if (!draw.percent(parameter.required ? 93 : 35)) return []
    const value = draw.percent(15) ? awkwardWord(draw) : String(soundValue(parameter, known, draw))
    const pair = `${parameter.name}=${encode(value)}`
    return draw.percent(3) ? [pair, pair] : [pair]
  })
  if (draw.percent(4)) {
    query.push(
      draw.pick([
        'extra=1',
        '__proto__=1',
        '=',
        '&',
        '%',
        'limit[]=1',
        'a[b]=c',
        '%00=%00',
        `x=${'y'.repeat(3_000)}`,
      ]),
    )
  }
  return query
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

const oddHeaders = [
  ['accept', 'application/xml'],
  ['accept', 'text/csv'],
  ['accept', '*/*;q=0'],
  ['accept-encoding', 'br, gzip;q=0'],
  ['content-encoding', 'gzip'],
  ['if-none-match', '*'],
  ['if-none-match', '"x", W/"y"'],
  ['range', 'bytes=0-0,5-'],
  ['traceparent', '00-00000000000000000000000000000000-0000000000000000-00'],
  ['traceparent', 'ff-\xff'],
  ['x-forwarded-for', '::1, not an address'],
  ['x-http-method-override', 'DELETE'],
  ['cookie', 'despatch=x; =; \xff'],
  ['origin', 'null'],
] as const

function makeHeaders(
  parameters: readonly Parameter[],
  known: KnownValues,
  draw: Draw,
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const parameter of parameters) {
    if (!draw.percent(parameter.required ? 93 : 20)) continue
    const value = draw.percent(20) ? awkwardWord(draw) : String(soundValue(parameter, known, draw))
    headers[parameter.name.toLowerCase()] = value
      .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
      .slice(0, 3_000)
  }
  if (draw.percent(5)) {
    const [name, value] = draw.pick(oddHeaders)
    headers[name] = value
  }
  return headers
}

const oddContentTypes = [
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/json;',
  'APPLICATION/JSON',
  'application/problem+json',
  'application/json, application/json',
  'x',
  '*/*',
  '\xff',
] as const

function contentTypeHeaders({ body }: Operation, draw: Draw): Record<string, string> {
  if (draw.percent(2)) return {}
  const sound = body?.contentType ?? 'application/json'
  return { 'content-type': draw.percent(5) ? draw.pick(oddContentTypes) : sound }
}

type MadeBody = Pick<FuzzRequest, 'body' | 'isChunked' | 'isSpoiltAsBytes'>

function makeBody(operation: Operation, material: Material, draw: Draw): MadeBody | undefined {
  const { body } = operation
  if (!body)
    return draw.percent(4) ? { body: Buffer.from(draw.pick(['', '{}', 'null', '{'])) } : undefined
  if (draw.percent(2)) return undefined
  const isChunked = draw.percent(4)
  if (body.contentType !== 'application/json') return { body: makeLines(material, draw), isChunked }
  const sound = withKnown(draw.from(arbitraryValue(body.schema)), material, draw)
  const value = draw.percent(45) ? spoil(sound, draw) : sound
  const json = JSON.stringify(value) ?? ''
  if (draw.percent(6)) return { body: spoilBytes(json, draw), isChunked, isSpoiltAsBytes: true }
  return { body: Buffer.from(json), isChunked }
}

/** Replaces some generated values by known ones, by the names of their members. */
function withKnown(value: unknown, material: Material, draw: Draw): unknown {
  if (Array.isArray(value)) return value.map((item) => withKnown(item, material, draw))
  if (typeof value !== 'object' || value === null) return value
  const { known } = material
  const entries = Object.entries(value).map(([name, member]) => {
    const isPlain = typeof member === 'string' || typeof member === 'number'
    const other = isPlain && draw.percent(60) ? known.draw(name, draw) : undefined
    return [name, other ?? withKnown(member, material, draw)]
  })
  return draw.percent(80) ? likely(Object.fromEntries(entries), draw) : Object.fromEntries(entries)
}

const addressKinds = /^(structured|unstructured|bfpo|international)Address$/

/** Sets what no schema says: the consumer's only contract, and that an address is of one kind. */
function likely(value: Record<string, unknown>, draw: Draw): Record<string, unknown> {
  if ('templateReference' in value && 'recipientName' in value) {
    return { ...value, jobType: 'LETTER', templateReference: 'LETTER' }
  }
  const kinds = Object.keys(value).filter((name) => addressKinds.test(name))
  if (kinds.length < 2) return value
  const kind = draw.pick(kinds)
  return { [kind]: value[kind] }
}

/** Makes rows of a record set: no document describes a row. */
function makeLines({ known }: Material, draw: Draw): Buffer {
  const row = () => {
    const registrationNumber = known.draw('registrationNumber', draw) ?? 'AB12CDE'
    const drivingLicenceNumber = known.draw('drivingLicenceNumber', draw) ?? 'X'
    const sound = { registrationNumber, driver: { drivingLicenceNumber }, make: 'ANY' }
    return draw.percent(50)
      ? JSON.stringify(spoil(sound, draw))
      : spoilBytes(JSON.stringify(sound), draw).toString()
  }
  return Buffer.from(
    Array.from({ length: 1 + draw.below(20) }, row).join(draw.pick(['\n', '\r\n', '\n\n'])),
  )
}

/** Usually returns the credentials of the caller to whom the operation belongs. */
function makeCredentials(
  operation: Operation,
  { callers }: Material,
  draw: Draw,
): Pick<FuzzRequest, 'credentials' | 'as'> {
  const own = callers[callerOf(operation)]
  const sound = (caller: typeof own) => ({
    authorization: caller.token,
    'x-api-key': caller.apiKey,
  })
  if (operation.credentials.length === 0 && draw.percent(80))
    return { credentials: {}, as: 'nobody' }
  if (draw.percent(88)) return { credentials: sound(own), as: own.name }
  const other = callers[draw.pick(callerNames)]
  switch (draw.below(7)) {
    case 0:
      return { credentials: {}, as: 'nobody' }
    case 1:
      return { credentials: sound(other), as: other.name }
    case 2:
      return { credentials: { authorization: own.token }, as: `${own.name} without API key` }
    case 3:
      return { credentials: { 'x-api-key': own.apiKey }, as: `${own.name} without token` }
    case 4:
      return {
        credentials: { ...sound(own), 'x-api-key': other.apiKey },
        as: `${own.name} with the API key of ${other.name}`,
      }
    case 5:
      return {
        credentials: { ...sound(own), authorization: `${own.token.slice(0, -3)}xyz` },
        as: `${own.name} with a changed token`,
      }
    default:
      return {
        credentials: {
          authorization: draw.pick([
            'Bearer',
            'Bearer a.b.c',
            '\xff',
            'Basic eDp5',
            'x'.repeat(4_000),
          ]),
          'x-api-key': draw.pick(['', 'x', '\xff', 'x'.repeat(300)]),
        },
        as: 'nobody, with made-up credentials',
      }
  }
}

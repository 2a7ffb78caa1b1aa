import type { IncomingHttpHeaders } from 'node:http'
import { type Signed, signatureParameters } from './check-signature.ts'
import type { Digest } from './digests.ts'
import { decode, type S3Request } from './parse-request.ts'
import { S3Error } from './s3-error.ts'

export type Put = {
  kind: 'put'
  key: string
  contentType: string
  onlyIfAbsent: boolean
  digests: readonly Digest[]
}
export type Get = {
  kind: 'get'
  key: string
  withBody: boolean
  range: string | undefined
  ifMatch: string | undefined
  /** The ETag of the object of which the range is wanted. */
  ifRange: string | undefined
  contentDisposition: string | undefined
}
type Copy = { kind: 'copy'; from: string; key: string; ifMatch: string | undefined }
export type List = { kind: 'list'; prefix: string; after: string; keysMax: number }
export type Operation =
  | Put
  | Get
  | Copy
  | List
  | { kind: 'delete'; key: string }
  | { kind: 'delete-several'; digests: readonly Digest[] }
  | { kind: 'check-bucket' }

const pageKeysMax = 1_000
const keyBytesMax = 1_024
/** A file name of at most 255 bytes, less the suffix that it gets. */
const segmentBytesMax = 200
const typeDefault = 'application/octet-stream'
const typeCharactersMax = 255

/** The headers beginning with x-amz- that are understood. They are signed. */
const amazonHeaders: ReadonlySet<string> = new Set([
  'x-amz-date',
  'x-amz-content-sha256',
  // Part of temporary credentials. This store knows one key, so it has nothing to check in it.
  'x-amz-security-token',
  'x-amz-user-agent',
  'x-amz-sdk-checksum-algorithm',
])
const conditions = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since']
const copyHeaders = ['x-amz-copy-source', 'x-amz-copy-source-if-match']
/** The checksums that are understood, with their number of hexadecimal digits. */
const checksums = [
  ['sha1', 40],
  ['sha256', 64],
  ['crc32', 8],
] as const

/**
 * Returns the operation that a request with a valid signature asks for. Throws if it has a parameter or an x-amz- header
 * that the operation does not know: ignoring one could do something else than the sender wants.
 */
export function readOperation(request: S3Request, signed: Signed, bucket: string): Operation {
  const { method, segments, parameters, headers } = request
  const [name, ...keySegments] = segments
  if (name === undefined) throw new S3Error('MethodNotAllowed', 'Address the bucket by its path')
  if (name !== bucket) throw new S3Error('NoSuchBucket', 'The bucket does not exist')
  const allow = (names: readonly string[], allowedHeaders: readonly string[] = []) => {
    refuseUnknownParameters(parameters, names)
    refuseUnknownHeaders(headers, allowedHeaders)
  }
  if (keySegments.length === 0) return readBucketOperation(request, signed, allow)
  const key = toKey(keySegments)
  switch (method) {
    case 'GET':
    case 'HEAD': {
      allow(['x-id', 'response-content-disposition'])
      return readGet(request, key)
    }
    case 'DELETE':
      allow(['x-id'])
      refuseConditions(headers, conditions)
      return { kind: 'delete', key }
    case 'PUT':
      if (headers['x-amz-copy-source'] !== undefined) {
        allow(['x-id'], copyHeaders)
        refuseConditions(headers, conditions)
        return readCopy(headers, key, bucket)
      }
      allow(['x-id'], checksumHeaders())
      return readPut(headers, key, signed)
    default:
      throw notAllowed(method)
  }
}

type Allow = (names: readonly string[], allowedHeaders?: readonly string[]) => void

function readBucketOperation(
  { method, parameters, headers }: S3Request,
  signed: Signed,
  allow: Allow,
): Operation {
  if (method === 'HEAD') {
    allow([])
    return { kind: 'check-bucket' }
  }
  if (method === 'GET') {
    allow(['list-type', 'prefix', 'max-keys', 'start-after', 'continuation-token'])
    return readList(parameters)
  }
  if (method === 'POST' && parameters.get('delete') === '') {
    allow(['delete', 'x-id'], checksumHeaders())
    return { kind: 'delete-several', digests: readDigests(headers, signed) }
  }
  throw notAllowed(method)
}

function refuseUnknownParameters(
  parameters: S3Request['parameters'],
  names: readonly string[],
): void {
  const unknown = [...parameters.keys()].find(
    (name) => !names.includes(name) && !signatureParameters.has(name),
  )
  if (unknown === undefined) return
  throw new S3Error('InvalidArgument', `The parameter ${unknown} is not supported here`)
}

function refuseUnknownHeaders(headers: IncomingHttpHeaders, allowed: readonly string[]): void {
  const unknown = Object.keys(headers).find(
    (name) => name.startsWith('x-amz-') && !amazonHeaders.has(name) && !allowed.includes(name),
  )
  if (unknown === undefined) return
  throw new S3Error('InvalidArgument', `The header ${unknown} is not supported here`)
}

function checksumHeaders(): string[] {
  return checksums.map(([algorithm]) => `x-amz-checksum-${algorithm}`)
}

function readGet({ method, parameters, headers }: S3Request, key: string): Get {
  const contentDisposition = parameters.get('response-content-disposition')
  if (contentDisposition !== undefined && !/^[\x20-\x7e]*$/.test(contentDisposition)) {
    throw new S3Error('InvalidArgument', 'response-content-disposition must be printable ASCII')
  }
  const { range, 'if-match': ifMatch, 'if-range': ifRange } = headers
  const withBody = method === 'GET'
  const conditions = { ifMatch, ifRange: ifRange && String(ifRange) }
  return { kind: 'get', key, withBody, range, ...conditions, contentDisposition }
}

/** A condition that is ignored would do something else than the sender wants. */
function refuseConditions(headers: IncomingHttpHeaders, names: readonly string[]): void {
  const unknown = names.find((name) => headers[name] !== undefined)
  if (unknown)
    throw new S3Error('InvalidArgument', `The condition ${unknown} is not supported here`)
}

function readPut(headers: IncomingHttpHeaders, key: string, signed: Signed): Put {
  const ifNoneMatch = headers['if-none-match']
  const isKnown = ifNoneMatch === undefined || ifNoneMatch === '*'
  refuseConditions(
    headers,
    isKnown ? conditions.filter((name) => name !== 'if-none-match') : conditions,
  )
  const contentType = headers['content-type'] ?? typeDefault
  if (contentType.length > typeCharactersMax) {
    throw new S3Error('InvalidArgument', 'The Content-Type is too long')
  }
  const digests = readDigests(headers, signed)
  return { kind: 'put', key, contentType, onlyIfAbsent: ifNoneMatch === '*', digests }
}

function readCopy(headers: IncomingHttpHeaders, key: string, bucket: string): Copy {
  const given = String(headers['x-amz-copy-source'])
  if (given.includes('?')) throw new S3Error('InvalidArgument', 'Objects have no versions here')
  const source = decode(given).replace(/^\//, '')
  const [name, ...segments] = source.split('/')
  if (name !== bucket) throw new S3Error('NoSuchBucket', 'The bucket of the source does not exist')
  const ifMatch = headers['x-amz-copy-source-if-match']
  return { kind: 'copy', from: toKey(segments), key, ifMatch: ifMatch && String(ifMatch) }
}

/** A token of a list is the last key of its page. */
export function tokenOf(key: string): string {
  return Buffer.from(key).toString('base64url')
}

function readList(parameters: S3Request['parameters']): List {
  if (parameters.get('list-type') !== '2') {
    throw new S3Error('InvalidArgument', 'Lists are read with list-type=2')
  }
  const keysMax = parameters.get('max-keys') ?? String(pageKeysMax)
  if (!/^\d{1,9}$/.test(keysMax)) {
    throw new S3Error('InvalidArgument', 'max-keys must be a number')
  }
  const token = parameters.get('continuation-token')
  return {
    kind: 'list',
    prefix: parameters.get('prefix') ?? '',
    after:
      token === undefined
        ? (parameters.get('start-after') ?? '')
        : Buffer.from(token, 'base64url').toString(),
    keysMax: Math.min(Number(keysMax), pageKeysMax),
  }
}

function readDigests(headers: IncomingHttpHeaders, { bodySha256 }: Signed): Digest[] {
  const named = checksums.map(
    ([algorithm, digits]) => [algorithm, digits, `x-amz-checksum-${algorithm}`] as const,
  )
  const all = [['md5', 32, 'content-md5'] as const, ...named]
  const digests = all.flatMap(([algorithm, digits, name]): Digest[] => {
    const value = headers[name]
    if (value === undefined) return []
    const expected = Buffer.from(String(value), 'base64').toString('hex')
    if (expected.length !== digits) {
      throw new S3Error('InvalidDigest', `The ${algorithm} digest is not valid base64`)
    }
    return [{ algorithm, expected, code: 'BadDigest' }]
  })
  if (bodySha256 === undefined) return digests
  const code = 'XAmzContentSHA256Mismatch'
  return [...digests, { algorithm: 'sha256', expected: bodySha256, code }]
}

/**
 * Returns the key of these segments. Throws unless each can be the name of a file below the directory of the store:
 * a segment that names a directory above, or one of the store's own files, cannot.
 */
export function toKey(segments: readonly string[]): string {
  const key = segments.join('/')
  const isAllowed = segments.every(
    (segment) =>
      !['', '.', '..'].includes(segment) &&
      !/[\p{Cc}\\/]/u.test(segment) &&
      !segment.includes('._S3rver_'),
  )
  if (!isAllowed || segments.length === 0) {
    throw new S3Error('InvalidArgument', 'This key is not supported')
  }
  const isTooLong = segments.some((segment) => Buffer.byteLength(segment) > segmentBytesMax)
  if (isTooLong || Buffer.byteLength(key) > keyBytesMax) {
    throw new S3Error('KeyTooLongError', 'The key, or a segment of it, is too long')
  }
  return key
}

function notAllowed(method: string): S3Error {
  return new S3Error('MethodNotAllowed', `${method} is not supported here`)
}

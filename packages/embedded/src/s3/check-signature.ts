import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { encode, type S3Request } from './parse-request.ts'
import { S3Error } from './s3-error.ts'

export type AccessKey = { accessKeyId: string; secretAccessKey: string }

/** What a valid signature says of its request. */
export type Signed = {
  /** The signature is in the query: the sender has a presigned link, and not the key. */
  isLink: boolean
  /** The SHA-256 that the body must have, in hexadecimal. Undefined if the body is not signed. */
  bodySha256: string | undefined
}

type Options = { key: AccessKey; region: string; now: Date }

type GivenSignature = {
  isLink: boolean
  accessKeyId: string
  /** The day, region, service and end of the scope. */
  scope: readonly string[]
  signedHeaders: readonly string[]
  signature: string
  time: string
  payload: string
}

const algorithm = 'AWS4-HMAC-SHA256'
const clockSkewMs = 900_000
/** A week, the most that Signature Version 4 allows. */
const linkSecondsMax = 604_800
const unsignedPayload = 'UNSIGNED-PAYLOAD'
const linkParameters = ['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature']

/** The parameters that carry the signature of a link. They name no operation. */
export const signatureParameters: ReadonlySet<string> = new Set(
  [...linkParameters, 'Content-Sha256', 'Security-Token'].map((name) => `X-Amz-${name}`),
)

/**
 * Throws unless the request has one valid signature (AWS Signature Version 4) of the key, in its header or its query.
 * The signature covers the method, the path, every parameter, the host and every x-amz- header, so the holder of a link
 * can add none.
 */
export function checkSignature(request: S3Request, { key, region, now }: Options): Signed {
  const given = readSignature(request, now)
  if (given.accessKeyId !== key.accessKeyId) {
    throw new S3Error('InvalidAccessKeyId', 'The access key does not exist')
  }
  if (given.scope.join('/') !== scopeOf(given.time, region).join('/')) {
    throw denied('The credential is not for this day, region and service')
  }
  const expected = sign(canonicalRequest(request, given), given, key.secretAccessKey)
  if (!isSame(expected, given.signature)) {
    throw new S3Error('SignatureDoesNotMatch', 'The signature is not that of this request')
  }
  const { isLink, payload } = given
  return { isLink, bodySha256: payload === unsignedPayload ? undefined : payload }
}

function readSignature(request: S3Request, now: Date): GivenSignature {
  const isLink = [...signatureParameters].some((name) => request.parameters.has(name))
  const { authorization } = request.headers
  if (isLink && authorization !== undefined) {
    throw new S3Error('InvalidRequest', 'The request has a signature in its header and its query')
  }
  const given = isLink ? readLink(request, now) : readHeader(request, authorization, now)
  if (!/^(?:UNSIGNED-PAYLOAD|[0-9a-f]{64})$/.test(given.payload)) {
    const message = 'x-amz-content-sha256 must be UNSIGNED-PAYLOAD or the SHA-256 of the whole body'
    throw new S3Error('InvalidRequest', message)
  }
  return given
}

function readLink({ parameters, headers }: S3Request, now: Date): GivenSignature {
  const [used, credential, time, expires, signedHeaders, signature] = linkParameters.map(
    (name) => parameters.get(`X-Amz-${name}`) ?? '',
  ) as [string, string, string, string, string, string]
  if (used !== algorithm) throw denied('The link is not signed')
  // The comparisons are also false for a time that is none.
  const signedAtMs = timeOf(time)
  const seconds = /^\d{1,6}$/.test(expires) ? Number(expires) : 0
  if (seconds < 1 || seconds > linkSecondsMax) throw denied('The life of the link is not valid')
  if (!(signedAtMs <= now.getTime() + clockSkewMs)) throw denied('The link is not valid yet')
  if (!(now.getTime() <= signedAtMs + seconds * 1_000)) throw denied('The link has expired')
  const payload = parameters.get('X-Amz-Content-Sha256') ?? unsignedPayload
  if ((headers['x-amz-content-sha256'] ?? payload) !== payload) {
    throw denied('x-amz-content-sha256 differs from the link')
  }
  return signatureOf({ isLink: true, credential, signedHeaders, signature, time, payload })
}

function readHeader(
  { headers }: S3Request,
  authorization: string | undefined,
  now: Date,
): GivenSignature {
  const [, credential = '', signedHeaders = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^\s,]+), ?SignedHeaders=([^\s,]+), ?Signature=([^\s,]+)$/.exec(
      authorization ?? '',
    ) ?? []
  if (signature === '') throw denied('The request is not signed')
  const time = String(headers['x-amz-date'] ?? '')
  if (!(Math.abs(now.getTime() - timeOf(time)) <= clockSkewMs)) {
    throw new S3Error('RequestTimeTooSkewed', 'The request was signed at another time than now')
  }
  const payload = String(headers['x-amz-content-sha256'] ?? '')
  return signatureOf({ isLink: false, credential, signedHeaders, signature, time, payload })
}

function signatureOf({
  credential,
  signedHeaders,
  ...rest
}: Pick<GivenSignature, 'isLink' | 'signature' | 'time' | 'payload'> &
  Record<'credential' | 'signedHeaders', string>): GivenSignature {
  const [accessKeyId = '', ...scope] = credential.split('/')
  return { ...rest, accessKeyId, scope, signedHeaders: signedHeaders.split(';') }
}

/** Returns the milliseconds of a time such as 20260131T235959Z; NaN for any other text. */
function timeOf(time: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time)
  if (!parts) return Number.NaN
  const [, year, month, day, hour, minute, second] = parts
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

function scopeOf(time: string, region: string): string[] {
  return [time.slice(0, 8), region, 's3', 'aws4_request']
}

function canonicalRequest(request: S3Request, { signedHeaders, payload }: GivenSignature): string {
  const { method, path, parameters, headers } = request
  const query = [...parameters]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  requireSigned(headers, signedHeaders)
  const lines = signedHeaders.map((name) => `${name}:${signedValue(headers, name)}`)
  return [method, path, query, ...lines, '', signedHeaders.join(';'), payload].join('\n')
}

function requireSigned(headers: S3Request['headers'], signedHeaders: readonly string[]): void {
  const required = Object.keys(headers).filter((name) => name.startsWith('x-amz-'))
  const unsigned = ['host', ...required].find((name) => !signedHeaders.includes(name))
  if (unsigned) throw denied(`The header ${unsigned} is not signed`)
}

function signedValue(headers: S3Request['headers'], name: string): string {
  const value = headers[name]
  if (typeof value !== 'string') throw denied('A signed header is missing')
  return value
}

function sign(request: string, { time, scope }: GivenSignature, secretAccessKey: string): string {
  const text = [algorithm, time, scope.join('/'), hash('sha256', request)].join('\n')
  return hmac(signingKeyOf(scope, secretAccessKey), text).toString('hex')
}

let latest: { name: string; key: string | Buffer } | undefined

/** Derives the key of a scope: of a day, so nearly every request has that of the request before. */
function signingKeyOf(scope: readonly string[], secretAccessKey: string): string | Buffer {
  const name = JSON.stringify([secretAccessKey, scope])
  if (latest?.name === name) return latest.key
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  latest = { name, key }
  return key
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function denied(message: string): S3Error {
  return new S3Error('AccessDenied', message)
}

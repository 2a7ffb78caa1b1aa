import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import S3Error from '@20minutes/s3rver/lib/models/error.js'
import v4, { type SignedRequest } from '@20minutes/s3rver/lib/signature/v4.js'

export type AccessKey = { accessKeyId: string; secretAccessKey: string }

type Request = {
  method: string
  url: string
  headers: IncomingHttpHeaders
  query: Record<string, string | string[] | undefined>
}

const clockSkewSecondsMax = 900

/**
 * Throws unless the request has a valid, unexpired signature (version 4) of the key, in its header or its query. The
 * signature must cover the host and every x-amz- header: otherwise the holder of an upload link could add a header that
 * copies another object.
 */
export function checkSignature(request: Request, key: AccessKey, now: Date): void {
  const signed = readSignature(request, now)
  if (signed.accessKeyId !== key.accessKeyId) {
    throw new S3Error('InvalidAccessKeyId', 'The access key id does not exist in our records.')
  }
  const unsigned = Object.keys(request.headers).find(
    (name) =>
      (name === 'host' || name.startsWith('x-amz-')) && !signed.signedHeaders.includes(name),
  )
  if (unsigned) throw new S3Error('AccessDenied', `Header ${unsigned} is not signed`)

  const { date, region, service } = signed.credential
  const expected = createHmac(
    'sha256',
    v4.getSigningKey(key.secretAccessKey, date, region, service),
  )
    .update(v4.getStringToSign(canonical(request, signed.time), signed))
    .digest('hex')
  if (!isSame(expected, signed.signatureProvided)) {
    throw new S3Error(
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    )
  }
}

function readSignature({ headers, query }: Request, now: Date): SignedRequest & { time: string } {
  // Throws if the link has expired.
  if ('X-Amz-Algorithm' in query) return v4.parseQuery(query)
  if (!headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) {
    throw new S3Error('AccessDenied', 'Access Denied')
  }
  const time = String(headers['x-amz-date'] ?? '')
  const signedAt = Date.parse(
    time.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5'),
  )
  if (!(Math.abs(now.getTime() - signedAt) <= clockSkewSecondsMax * 1000)) {
    throw new S3Error('RequestTimeTooSkewed', 'The request was signed too long ago.')
  }
  return { ...v4.parseHeader(headers), time }
}

function canonical({ method, url, headers }: Request, timestamp: string) {
  const [path = '', query = ''] = url.split('?', 2)
  const parameters = query
    .split('&')
    .filter(Boolean)
    .map((parameter) => {
      const [name = '', ...value] = parameter.split('=')
      return [encode(name), encode(value.join('='))] as const
    })
    .filter(([name]) => name !== 'X-Amz-Signature')
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
  return {
    method,
    headers,
    timestamp,
    uri: path.split('/').map(encode).join('/'),
    querystring: parameters.map((parameter) => parameter.join('=')).join('&'),
  }
}

/** Encodes in one canonical form (RFC 3986), whatever form the sender used. */
function encode(sent: string): string {
  return encodeURIComponent(decodeURIComponent(sent)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

function isSame(expected: string, provided: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(provided)]
  return a.length === b.length && timingSafeEqual(a, b)
}

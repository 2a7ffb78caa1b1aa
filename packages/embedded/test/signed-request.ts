import { createHmac, hash } from 'node:crypto'
import type { EmbeddedObjectStore } from '../src/object-store.ts'

type Signer = Pick<
  EmbeddedObjectStore,
  'endpoint' | 'region' | 'bucket' | 'accessKeyId' | 'secretAccessKey'
>

type Link = {
  key: string
  method?: string
  signedAt?: Date
  expiresSeconds?: number
  query?: Record<string, string>
  headers?: Record<string, string>
}

type Call = {
  method: string
  /** Of the bucket, without a key. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: string
  signedAt?: Date
}

const algorithm = 'AWS4-HMAC-SHA256'

/**
 * Returns a presigned address, made by the rules of AWS Signature Version 4 without any code of the store or the SDK,
 * so that it checks both.
 */
export function presign(store: Signer, link: Link): string {
  const { method = 'GET', signedAt = new Date(), expiresSeconds = 60, headers = {} } = link
  const { origin, host } = new URL(store.endpoint)
  const path = pathOf(store, link.key)
  const time = timeOf(signedAt)
  const names = Object.keys({ ...headers, host }).sort()
  const query = queryOf({
    ...link.query,
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${store.accessKeyId}/${scopeOf(store, time)}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(expiresSeconds),
    'X-Amz-SignedHeaders': names.join(';'),
  })
  const request = {
    method,
    path,
    query,
    headers: { ...headers, host },
    payload: 'UNSIGNED-PAYLOAD',
  }
  return `${origin}${path}?${query}&X-Amz-Signature=${signatureOf(store, time, request)}`
}

/** Returns a request that is signed in its header, as a holder of the key sends it. */
export function signCall(store: Signer, call: Call) {
  const { method, key, body = '', signedAt = new Date() } = call
  const { origin, host } = new URL(store.endpoint)
  const path = pathOf(store, key)
  const time = timeOf(signedAt)
  const query = queryOf(call.query ?? {})
  const payload = hash('sha256', body)
  const added = { 'x-amz-date': time, 'x-amz-content-sha256': payload }
  const headers: Record<string, string> = { ...added, ...call.headers, host }
  const names = Object.keys(headers).sort().join(';')
  const request = { method, path, query, headers, payload: headers['x-amz-content-sha256']! }
  const authorization = `${algorithm} Credential=${store.accessKeyId}/${scopeOf(store, time)}, SignedHeaders=${names}, Signature=${signatureOf(store, time, request)}`
  const url = `${origin}${path}${query && `?${query}`}`
  return { method, url, headers: { ...headers, authorization }, body }
}

type Canonical = {
  method: string
  path: string
  query: string
  headers: Record<string, string>
  payload: string
}

function signatureOf(store: Signer, time: string, request: Canonical): string {
  const { method, path, query, headers, payload } = request
  const names = Object.keys(headers).sort()
  const lines = names.map((name) => `${name}:${headers[name]}`)
  const text = [method, path, query, ...lines, '', names.join(';'), payload].join('\n')
  const digest = hash('sha256', text)
  const scope = scopeOf(store, time)
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${store.secretAccessKey}`)
  return hmac(key, [algorithm, time, scope, digest].join('\n')).toString('hex')
}

function pathOf({ bucket }: Signer, key?: string): string {
  const path = key === undefined ? bucket : `${bucket}/${key}`
  return `/${path.split('/').map(encode).join('/')}`
}

function queryOf(parameters: Record<string, string>): string {
  const encoded = Object.entries(parameters).map(([name, value]) => [encode(name), encode(value)])
  return encoded
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&')
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function timeOf(moment: Date): string {
  return moment.toISOString().replace(/[-:]|\.\d+/g, '')
}

function scopeOf({ region }: Signer, time: string): string {
  return `${time.slice(0, 8)}/${region}/s3/aws4_request`
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

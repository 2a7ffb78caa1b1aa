import { createHash, createHmac } from 'node:crypto'
import type { EmbeddedObjectStore } from '../src/object-store.ts'

type Link = {
  key: string
  method?: string
  signedAt?: Date
  expiresSeconds?: number
  query?: Record<string, string>
  headers?: Record<string, string>
}

/**
 * Returns a presigned address, made by the rules of AWS Signature Version 4 without any code of ours or the server's,
 * so that it tests both.
 */
export function presign(store: EmbeddedObjectStore, link: Link): string {
  const { method = 'GET', signedAt = new Date(), expiresSeconds = 60, headers = {} } = link
  const url = new URL(`${store.endpoint}/${store.bucket}/${link.key}`)
  const time = signedAt.toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${store.region}/s3/aws4_request`
  const signed = Object.entries({ ...headers, host: url.host }).sort()
  const names = signed.map(([name]) => name).join(';')
  const query = {
    ...link.query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${store.accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(expiresSeconds),
    'X-Amz-SignedHeaders': names,
  }
  const parameters = Object.entries(query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&')
  const request = [
    method,
    url.pathname,
    parameters,
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    'UNSIGNED-PAYLOAD',
  ].join('\n')
  const toSign = [
    'AWS4-HMAC-SHA256',
    time,
    scope,
    createHash('sha256').update(request).digest('hex'),
  ].join('\n')
  const key = ['s3', 'aws4_request'].reduce(
    hmac,
    hmac(hmac(Buffer.from(`AWS4${store.secretAccessKey}`), time.slice(0, 8)), store.region),
  )
  return `${url.href}?${parameters}&X-Amz-Signature=${hmac(key, toSign).toString('hex')}`
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

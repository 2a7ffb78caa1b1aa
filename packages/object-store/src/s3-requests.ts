import { createHash, createHmac, type Hash, type Hmac, hash } from 'node:crypto'
import { type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import { SignatureV4 } from '@smithy/signature-v4'
import { type Dispatcher, interceptors, Pool } from 'undici'
import type { ObjectStoreDeadlines, ObjectStoreSettings } from './object-store.ts'

/** A request for one object. Keys are not encoded. */
export type ObjectRequest = {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  key: string
  headers?: Record<string, string>
  body?: Uint8Array
  /** The SHA-256 of the body, if it is known: 64 hexadecimal digits. A store that checks it refuses any other body. */
  sha256?: string | undefined
}

/** The answer to a request that succeeded. Its body must be read or dumped. */
export type ObjectAnswer = Dispatcher.ResponseData

/** Sends requests for objects, signed by AWS Signature Version 4. */
type S3Requests = {
  /** Rejects with S3ServiceException unless the status is 2xx. Tries three times if the store fails. */
  send(request: ObjectRequest, signal: AbortSignal): Promise<ObjectAnswer>
  close(): void
}

type Deadlines = Pick<ObjectStoreDeadlines, 'requestMsMax' | 'stallMsMax'>

export const connectionTimeoutMs = 5_000
/** The number of connections, beyond which requests wait for one. */
export const connectionsMax = 50
const retries = {
  maxRetries: 2,
  minTimeout: 100,
  maxTimeout: 2_000,
  throwOnError: false,
  errorCodes: [
    'ECONNRESET',
    'ECONNREFUSED',
    'ENOTFOUND',
    'ENETDOWN',
    'ENETUNREACH',
    'EHOSTDOWN',
    'EHOSTUNREACH',
    'EPIPE',
    'UND_ERR_SOCKET',
    'UND_ERR_CONNECT_TIMEOUT',
    'UND_ERR_HEADERS_TIMEOUT',
  ],
}

/**
 * Opens the requests for objects. The client of the SDK costs two to six times as much of the main thread for each call.
 */
export function openS3Requests(
  settings: ObjectStoreSettings,
  credentials: S3Client['config']['credentials'],
  deadlines: Deadlines,
): S3Requests {
  const isPathStyle = settings.forcePathStyle ?? true
  const { origin, protocol, host, hostname, port, pathname } = isPathStyle
    ? new URL(settings.endpoint)
    : withBucketAsHost(settings)
  const signer = new SignatureV4({
    service: 's3',
    region: settings.region,
    credentials,
    sha256: Sha256,
    // the path of S3 is signed as it is sent
    uriEscapePath: false,
  })
  const pool = new Pool(origin, {
    connections: connectionsMax,
    connect: { timeout: connectionTimeoutMs },
    allowH2: false,
    headersTimeout: deadlines.requestMsMax,
    bodyTimeout: deadlines.stallMsMax,
  })
  const dispatcher = pool.compose(interceptors.retry(retries))
  const base = pathname.replace(/\/$/, '')
  const root = isPathStyle ? `${base}/${encodePath(settings.bucket)}/` : `${base}/`
  return {
    send: async ({ method, key, headers, body, sha256 }, signal) => {
      const path = root + encodePath(key)
      const signed = await signer.sign({
        method,
        protocol,
        hostname,
        ...(port && { port: Number(port) }),
        path,
        headers: { ...headers, host, 'x-amz-content-sha256': sha256 ?? hash('sha256', body ?? '') },
      })
      const answer = await dispatcher.request({
        method,
        path,
        headers: signed.headers,
        signal,
        // the answer to a HEAD has no body that would keep the connection in use
        reset: false,
        ...(body && { body }),
      })
      if (answer.statusCode >= 200 && answer.statusCode < 300) return answer
      throw await refusalIn(answer)
    },
    close: () => void pool.destroy().catch(() => {}),
  }
}

function withBucketAsHost({ endpoint, bucket }: ObjectStoreSettings): URL {
  const url = new URL(endpoint)
  url.hostname = `${bucket}.${url.hostname}`
  return url
}

/** A body that says why a request failed is a few hundred bytes. */
const refusalBytesMax = 64 * 1024

async function refusalIn({ statusCode, body }: ObjectAnswer): Promise<S3ServiceException> {
  const text = await body.text().catch(() => '')
  const code = /<Code>([^<]*)<\/Code>/.exec(text.slice(0, refusalBytesMax))?.[1]
  return refusal(code ?? (statusCode === 404 ? 'NotFound' : 'Unknown'), statusCode)
}

/** Returns the error for an answer of the store with this code and status. */
export function refusal(code: string, httpStatusCode: number): S3ServiceException {
  return new S3ServiceException({
    name: code,
    message: `The object store answered ${httpStatusCode} ${code}`,
    $fault: httpStatusCode >= 500 ? 'server' : 'client',
    $metadata: { httpStatusCode },
  })
}

/** Encodes the segments of a path as Signature Version 4 requires it. */
export function encodePath(path: string): string {
  return encodeURIComponent(path)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** SHA-256 and its HMAC in the form that the signer takes. */
class Sha256 {
  readonly #hash: Hash | Hmac
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Uint8Array)
  }
  update(data: Uint8Array) {
    this.#hash.update(data)
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest())
  }
  reset() {}
}

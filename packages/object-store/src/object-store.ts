import { addAbortSignal, type Readable } from 'node:stream'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'

export type ObjectStoreSettings = {
  endpoint: string
  /** The address that callers reach, when it differs from ours (inside a container network). */
  publicEndpoint?: string | undefined
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
}

/** What is at a key now. `etag` names these very bytes, so that a later copy can insist on them. */
export type ObjectHead = { bytes: number; etag: string }

/** An object as it arrives. Whoever does not read it to its end destroys the stream. */
export type ObjectStream = ObjectHead & { stream: Readable }

/** Every call throws DependencyUnavailable when the store cannot be reached, does not answer in time or answers 5xx. */
export type ObjectStore = {
  /** A presigned address for one PUT of raw bytes to the key. */
  uploadAddress(key: string, options: { expiresSeconds: number }): Promise<string>
  /** A presigned address to GET the object; `fileName` is what a browser would save it as. */
  downloadAddress(
    key: string,
    options: { expiresSeconds: number; fileName?: string },
  ): Promise<string>
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>
  /** `changedAt` is when it was last written, by the store's clock. Undefined when there is no such object. */
  head(
    key: string,
    options?: { signal?: AbortSignal },
  ): Promise<(ObjectHead & { changedAt: Date }) | undefined>
  /** The whole object; undefined when absent. Throws when it is over `bytesMax`. */
  get(
    key: string,
    options: { bytesMax: number },
  ): Promise<{ bytes: Uint8Array; etag: string } | undefined>
  /**
   * The object as a stream, of which no more than a buffer is held; undefined when absent. The stream fails when the
   * object ends before its length, and when the signal aborts.
   */
  getStream(key: string, options?: { signal?: AbortSignal }): Promise<ObjectStream | undefined>
  /** Copies inside the store, only while the source still is the object that `etag` names. */
  copy(from: string, to: string, options: { etag: string }): Promise<'copied' | 'changed'>
  /** Rejects when the signal aborts. What has been sent may be carried out all the same. */
  remove(key: string, options?: { signal?: AbortSignal }): Promise<void>
  /** The keys below a prefix that ends with `/`, in the order of their names, at most `keysMax`, from behind `after` on. */
  list(prefix: string, options: { keysMax: number; after?: string }): Promise<string[]>
  /** Throws when the bucket cannot be reached. */
  check(): Promise<void>
  close(): void
}

/** Until an answer begins; a question is repeated before it counts as not answered. */
const usualRequestTimeoutMs = 30_000
const connectionTimeoutMs = 5_000

export function openObjectStore(
  settings: ObjectStoreSettings,
  { requestTimeoutMs = usualRequestTimeoutMs }: { requestTimeoutMs?: number } = {},
): ObjectStore {
  const clientOf = (endpoint: string) => createClient(settings, endpoint, requestTimeoutMs)
  const client = clientOf(settings.endpoint)
  const signer = settings.publicEndpoint ? clientOf(settings.publicEndpoint) : client
  const Bucket = settings.bucket
  return {
    uploadAddress: (Key, { expiresSeconds }) =>
      getSignedUrl(signer, new PutObjectCommand({ Bucket, Key }), { expiresIn: expiresSeconds }),
    downloadAddress: (Key, { expiresSeconds, fileName }) =>
      getSignedUrl(
        signer,
        new GetObjectCommand({
          Bucket,
          Key,
          ...(fileName && { ResponseContentDisposition: `inline; filename="${fileName}"` }),
        }),
        { expiresIn: expiresSeconds },
      ),
    put: async (Key, Body, ContentType) => {
      await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType }))
    },
    head: (Key, { signal } = {}) =>
      unlessAbsent(async () => {
        const found = await client.send(
          new HeadObjectCommand({ Bucket, Key }),
          signal && { abortSignal: signal },
        )
        // a store that does not say when is taken to have written it just now
        const changedAt = found.LastModified ?? new Date()
        return { bytes: found.ContentLength ?? 0, etag: found.ETag ?? '', changedAt }
      }),
    get: (Key, { bytesMax }) =>
      unlessAbsent(async () => {
        const found = await client.send(new GetObjectCommand({ Bucket, Key }))
        if ((found.ContentLength ?? 0) > bytesMax) {
          // Leaving the body unread would hold the connection.
          ;(found.Body as { destroy?: () => void } | undefined)?.destroy?.()
          throw new Error(`Object is over ${bytesMax} bytes`)
        }
        const bytes = (await found.Body?.transformToByteArray()) ?? new Uint8Array()
        return { bytes, etag: found.ETag ?? '' }
      }),
    getStream: (Key, { signal } = {}) =>
      unlessAbsent(async () => {
        const found = await client.send(
          new GetObjectCommand({ Bucket, Key }),
          signal && { abortSignal: signal },
        )
        const stream = found.Body as Readable
        if (signal) addAbortSignal(signal, stream)
        return { stream, bytes: found.ContentLength ?? 0, etag: found.ETag ?? '' }
      }),
    copy: async (from, Key, { etag }) => {
      try {
        await client.send(
          new CopyObjectCommand({
            Bucket,
            Key,
            CopySource: [Bucket, ...from.split('/')].map(encodeURIComponent).join('/'),
            CopySourceIfMatch: etag,
          }),
        )
        return 'copied'
      } catch (error) {
        if (statusOf(error) === 412) return 'changed'
        throw error
      }
    },
    remove: async (Key, { signal } = {}) => {
      await client.send(new DeleteObjectCommand({ Bucket, Key }), signal && { abortSignal: signal })
    },
    list: async (Prefix, { keysMax, after }) => {
      const keys: string[] = []
      let ContinuationToken: string | undefined
      do {
        const page = await client.send(
          new ListObjectsV2Command({
            Bucket,
            Prefix,
            MaxKeys: Math.min(keysMax - keys.length, 1_000),
            ...(ContinuationToken !== undefined && { ContinuationToken }),
            ...(after !== undefined && { StartAfter: after }),
          }),
        )
        keys.push(...(page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key])))
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken !== undefined && keys.length < keysMax)
      // some stores give more than they were asked for
      return keys.slice(0, keysMax)
    },
    check: async () => {
      await client.send(new HeadBucketCommand({ Bucket }))
    },
    close: () => client.destroy(),
  }
}

function createClient(
  settings: ObjectStoreSettings,
  endpoint: string,
  requestTimeoutMs: number,
): S3Client {
  const client = new S3Client({
    endpoint,
    region: settings.region,
    forcePathStyle: true,
    credentials: {
      accessKeyId: settings.accessKeyId,
      secretAccessKey: settings.secretAccessKey,
    },
    // Otherwise a presigned PUT carries the checksum of an empty body, and S3 refuses every upload.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      requestTimeout: requestTimeoutMs,
      // otherwise it would only be warned of
      throwOnRequestTimeout: true,
      connectionTimeout: connectionTimeoutMs,
    },
  })
  client.middlewareStack.add((next) => (request) => next(request).catch(throwOutage), {
    step: 'initialize',
    priority: 'high',
  })
  return client
}

/** What the store did not answer has no status, except that a signal of ours ended the call. */
function throwOutage(error: Error): never {
  const isOutage =
    error instanceof S3ServiceException
      ? (error.$metadata.httpStatusCode ?? 500) >= 500
      : error.name !== 'AbortError' && (error.name === 'TimeoutError' || 'code' in error)
  throw isOutage ? new DependencyUnavailable('object-store', { cause: error }) : error
}

async function unlessAbsent<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (statusOf(error) === 404) return undefined
    throw error
  }
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
}

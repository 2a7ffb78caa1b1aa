import { addAbortSignal, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import { inTime, withoutStall } from './in-time.ts'
import { asOutage, isAbsent, statusOf } from './outage.ts'

export type ObjectStoreSettings = {
  endpoint: string
  /** The address that callers reach, when it differs from ours (inside a container network). */
  publicEndpoint?: string | undefined
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
}

/** The object currently at a key. `etag` identifies its exact bytes, so that a later copy can require them. */
export type ObjectHead = { bytes: number; etag: string }

/** An object as a stream. A reader that stops early must destroy the stream. */
export type ObjectStream = ObjectHead & { stream: Readable }

/** Every call rejects with DependencyUnavailable while the store is unavailable, and so does a stream that breaks. */
export type ObjectStore = {
  /** Returns a presigned address for one PUT of raw bytes to the key. */
  uploadAddress(key: string, options: { expiresSeconds: number }): Promise<string>
  /** Returns a presigned address to GET the object. `fileName` is the name under which a browser saves it. */
  downloadAddress(
    key: string,
    options: { expiresSeconds: number; fileName?: string },
  ): Promise<string>
  /** Rejects when the signal aborts; the store may still carry out a request that was sent. */
  put(
    key: string,
    bytes: Uint8Array,
    contentType: string,
    options?: { signal?: AbortSignal },
  ): Promise<void>
  /** Returns the size, ETag and time of the last write by the store's clock. Undefined if the object does not exist. */
  head(
    key: string,
    options?: { signal?: AbortSignal },
  ): Promise<(ObjectHead & { changedAt: Date }) | undefined>
  /** Returns the whole object, or undefined if it does not exist. Throws if it is larger than `bytesMax`. */
  get(
    key: string,
    options: { bytesMax: number; signal?: AbortSignal | undefined },
  ): Promise<{ bytes: Uint8Array; etag: string } | undefined>
  /**
   * Returns the object as a stream that keeps at most one buffer in memory, or undefined if it does not exist. The
   * stream fails if the object ends before its length, or when the signal aborts.
   */
  getStream(key: string, options?: { signal?: AbortSignal }): Promise<ObjectStream | undefined>
  /**
   * Copies inside the store if the source still has this `etag`. Returns `changed` if it has another one or does not
   * exist.
   */
  copy(from: string, to: string, options: { etag: string }): Promise<'copied' | 'changed'>
  /** Deletes the object. Rejects when the signal aborts; the store may still carry out a request that was sent. */
  remove(key: string, options?: { signal?: AbortSignal }): Promise<void>
  /** Returns at most `keysMax` keys below a prefix that ends with `/`, in order, starting after the key `after`. */
  list(prefix: string, options: { keysMax: number; after?: string }): Promise<string[]>
  /** Throws if the bucket cannot be reached. */
  check(): Promise<void>
  close(): void
}

export type ObjectStoreDeadlines = {
  /** Milliseconds until the answer to one try begins. A failed try is retried. */
  requestMsMax: number
  /** Milliseconds until the answer begins, all tries included. */
  callMsMax: number
  /** Milliseconds that a reader of a body waits for its next bytes. */
  stallMsMax: number
}

const deadlinesDefault = { requestMsMax: 15_000, callMsMax: 40_000, stallMsMax: 30_000 }
const connectionTimeoutMs = 5_000

/**
 * Opens the object store. Every call ends within the deadlines, even if the store accepts the bytes and never answers.
 */
export function openObjectStore(
  settings: ObjectStoreSettings,
  deadlines: Partial<ObjectStoreDeadlines> = {},
): ObjectStore {
  const { requestMsMax, callMsMax, stallMsMax } = { ...deadlinesDefault, ...deadlines }
  const clientOf = (endpoint: string) =>
    createClient(settings, endpoint, { requestMsMax, callMsMax })
  const client = clientOf(settings.endpoint)
  const signer = settings.publicEndpoint ? clientOf(settings.publicEndpoint) : client
  const Bucket = settings.bucket
  const check = async () => {
    await client.send(new HeadBucketCommand({ Bucket })).catch((error: unknown) => {
      if (error instanceof DependencyUnavailable) throw error
      throw new DependencyUnavailable('object-store', { cause: error })
    })
  }
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
    put: async (Key, Body, ContentType, { signal } = {}) => {
      await client.send(
        new PutObjectCommand({ Bucket, Key, Body, ContentType }),
        signal && { abortSignal: signal },
      )
    },
    head: (Key, { signal } = {}) =>
      unlessAbsent(async () => {
        const found = await client.send(
          new HeadObjectCommand({ Bucket, Key }),
          signal && { abortSignal: signal },
        )
        // If the store reports no time, assume that the object was written just now.
        const changedAt = found.LastModified ?? new Date()
        return { bytes: found.ContentLength ?? 0, etag: found.ETag ?? '', changedAt }
      }, check),
    get: (Key, { bytesMax, signal }) =>
      unlessAbsent(async () => {
        const found = await client.send(
          new GetObjectCommand({ Bucket, Key }),
          signal && { abortSignal: signal },
        )
        if (signal && found.Body) addAbortSignal(signal, found.Body as Readable)
        if ((found.ContentLength ?? 0) > bytesMax) {
          // An unread body would keep the connection in use.
          ;(found.Body as { destroy?: () => void } | undefined)?.destroy?.()
          throw new Error(`Object is over ${bytesMax} bytes`)
        }
        const bytes = found.Body
          ? await buffer(withoutStall(found.Body as Readable, stallMsMax))
          : new Uint8Array()
        return { bytes, etag: found.ETag ?? '' }
      }),
    getStream: (Key, { signal } = {}) =>
      unlessAbsent(async () => {
        const found = await client.send(
          new GetObjectCommand({ Bucket, Key }),
          signal && { abortSignal: signal },
        )
        const body = found.Body as Readable
        if (signal) addAbortSignal(signal, body)
        const stream = Readable.from(withoutStall(body, stallMsMax), { objectMode: false })
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
        if (statusOf(error) === 412 || isAbsent(error)) return 'changed'
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
      // Some stores return more keys than requested.
      return keys.slice(0, keysMax)
    },
    check,
    close: () => client.destroy(),
  }
}

function createClient(
  settings: ObjectStoreSettings,
  endpoint: string,
  { requestMsMax, callMsMax }: Pick<ObjectStoreDeadlines, 'requestMsMax' | 'callMsMax'>,
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
      requestTimeout: requestMsMax,
      // Otherwise the SDK only logs a warning.
      throwOnRequestTimeout: true,
      connectionTimeout: connectionTimeoutMs,
    },
  })
  // Wraps every call, outside the SDK's own retries.
  client.middlewareStack.add(
    (next) => (args) =>
      next(args).catch((error: unknown) => {
        throw asOutage(error)
      }),
    { name: 'asOutage', step: 'initialize', priority: 'high' },
  )
  const send = client.send.bind(client) as (command: object, options: object) => Promise<unknown>
  // Every call passes here, so that each one has a deadline.
  client.send = ((command: object, options: { abortSignal?: AbortSignal } = {}) =>
    inTime(callMsMax, options.abortSignal, (abortSignal) =>
      send(command, { ...options, abortSignal }),
    )) as S3Client['send']
  return client
}

/**
 * Returns undefined if the object does not exist. `confirm` must reject if an answer without a body has another cause.
 */
async function unlessAbsent<T>(
  read: () => Promise<T>,
  confirm: () => Promise<void> = async () => {},
): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
  await confirm()
  return undefined
}

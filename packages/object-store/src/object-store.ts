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

/** What is at a key now. `etag` names these very bytes, so that a later copy can insist on them. */
export type ObjectHead = { bytes: number; etag: string }

/** An object as it arrives. Whoever does not read it to its end destroys the stream. */
export type ObjectStream = ObjectHead & { stream: Readable }

/** Every call rejects with DependencyUnavailable while the store cannot work, and so does a stream that breaks. */
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
  /** Copies inside the store, only while the source still is the object that `etag` names. `changed`: it is another, or gone. */
  copy(from: string, to: string, options: { etag: string }): Promise<'copied' | 'changed'>
  /** Rejects when the signal aborts. What has been sent may be carried out all the same. */
  remove(key: string, options?: { signal?: AbortSignal }): Promise<void>
  /** The keys below a prefix that ends with `/`, in the order of their names, at most `keysMax`, from behind `after` on. */
  list(prefix: string, options: { keysMax: number; after?: string }): Promise<string[]>
  /** Throws when the bucket cannot be reached. */
  check(): Promise<void>
  close(): void
}

export type ObjectStoreDeadlines = {
  /** Until the answer to one try begins, in milliseconds. A try that fails is repeated. */
  requestMsMax: number
  /** Until the answer begins, with all tries. */
  callMsMax: number
  /** For which a reader of a body waits for its next bytes. */
  stallMsMax: number
}

const deadlinesDefault = { requestMsMax: 15_000, callMsMax: 40_000, stallMsMax: 30_000 }
const connectionTimeoutMs = 5_000

/** Opens the object store. Every call ends within the deadlines, whatever the store does with the bytes that it accepts. */
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
      }, check),
    get: (Key, { bytesMax }) =>
      unlessAbsent(async () => {
        const found = await client.send(new GetObjectCommand({ Bucket, Key }))
        if ((found.ContentLength ?? 0) > bytesMax) {
          // Leaving the body unread would hold the connection.
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
      // some stores give more than they were asked for
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
      // otherwise it would only be warned of
      throwOnRequestTimeout: true,
      connectionTimeout: connectionTimeoutMs,
    },
  })
  // Around every call, after the SDK's own repeats.
  client.middlewareStack.add(
    (next) => (args) =>
      next(args).catch((error: unknown) => {
        throw asOutage(error)
      }),
    { name: 'asOutage', step: 'initialize', priority: 'high' },
  )
  const send = client.send.bind(client) as (command: object, options: object) => Promise<unknown>
  // Every call passes here, so that none can be without its deadline.
  client.send = ((command: object, options: { abortSignal?: AbortSignal } = {}) =>
    inTime(callMsMax, options.abortSignal, (abortSignal) =>
      send(command, { ...options, abortSignal }),
    )) as S3Client['send']
  return client
}

/** Undefined when there is no such object. `confirm` rejects when an answer without a body means something else. */
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

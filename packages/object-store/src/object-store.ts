import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import { createCopy } from './copy-object.ts'
import { inTime } from './in-time.ts'
import { contentHashIn } from './keys.ts'
import { asOutage, isAbsent } from './outage.ts'
import {
  connectionTimeoutMs,
  type ObjectAnswer,
  type ObjectRequest,
  openS3Requests,
} from './s3-requests.ts'

export type ObjectStoreSettings = {
  endpoint: string
  /** The address that callers reach, when it differs from ours (inside a container network). */
  publicEndpoint?: string | undefined
  region: string
  bucket: string
  /** The access key. Without it, the credentials that the SDK finds, which it renews before they expire. */
  accessKeyId?: string | undefined
  secretAccessKey?: string | undefined
  /** false: the bucket is in the host name. */
  forcePathStyle?: boolean | undefined
  /** The key of AWS KMS for what is written here. A presigned upload is encrypted as the bucket says. */
  kmsKeyId?: string | undefined
}

/** The object currently at a key. `etag` identifies its exact bytes, so that a later copy can require them. */
export type ObjectHead = { bytes: number; etag: string }

/** An object that a listing contains. `changedAt` is the time of its last write by the store's clock. */
export type ListedObject = { key: string; bytes: number; changedAt: Date }

/** An object that the store refused to delete, with the code of the error. */
export type NotRemoved = { key: string; code: string }

/** An object as a stream. A reader that stops early must destroy the stream. */
export type ObjectStream = ObjectHead & { stream: Readable }

/** Every call rejects with DependencyUnavailable while the store is unavailable, and so does a stream that breaks. */
export type ObjectStore = {
  /**
   * Returns a presigned address for one PUT of raw bytes to the key. If `bytes` is given, every store refuses a body of
   * another length.
   */
  uploadAddress(
    key: string,
    options: { expiresSeconds: number; bytes?: number | undefined },
  ): Promise<string>
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
  /**
   * Deletes up to 1,000 objects in one request, and returns those that the store refused to delete. An object that does
   * not exist counts as deleted. Rejects when the signal aborts; the store may still carry out a request that was sent.
   */
  removeTogether(keys: readonly string[], options?: { signal?: AbortSignal }): Promise<NotRemoved[]>
  /** Returns at most `keysMax` keys that begin with the prefix, in order, starting after the key `after`. */
  list(prefix: string, options: ListOptions): Promise<string[]>
  /** As `list`, with the size of each object and the time of its last write. */
  listWithTimes(prefix: string, options: ListOptions): Promise<ListedObject[]>
  /** Throws if the bucket cannot be reached. */
  check(): Promise<void>
  close(): void
}

export type ListOptions = { keysMax: number; after?: string; signal?: AbortSignal }

export type ObjectStoreDeadlines = {
  /** Milliseconds until the answer to one try begins. A failed try is retried. */
  requestMsMax: number
  /** Milliseconds until the answer begins, all tries included. */
  callMsMax: number
  /** Milliseconds that a reader of a body waits for its next bytes. */
  stallMsMax: number
}

const deadlinesDefault = { requestMsMax: 15_000, callMsMax: 40_000, stallMsMax: 30_000 }

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
  const { credentials } = client.config
  const requests = openS3Requests(settings, credentials, { requestMsMax, stallMsMax })
  const encryption: Record<string, string> = settings.kmsKeyId
    ? {
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': settings.kmsKeyId,
      }
    : {}
  const send = (request: ObjectRequest, signal?: AbortSignal) =>
    inTime(callMsMax, signal, (limited) => requests.send(request, limited)).catch(
      (error: unknown) => {
        throw asOutage(error)
      },
    )
  const copy = createCopy({ bucket: settings.bucket, encryption, send })
  const Bucket = settings.bucket
  const check = async () => {
    await client.send(new HeadBucketCommand({ Bucket })).catch((error: unknown) => {
      if (error instanceof DependencyUnavailable) throw error
      throw new DependencyUnavailable('object-store', { cause: error })
    })
  }
  const list = async (Prefix: string, { keysMax, after, signal }: ListOptions) => {
    const found: ListedObject[] = []
    let ContinuationToken: string | undefined
    do {
      const page = await client.send(
        new ListObjectsV2Command({
          Bucket,
          Prefix,
          MaxKeys: Math.min(keysMax - found.length, 1_000),
          ...(ContinuationToken !== undefined && { ContinuationToken }),
          ...(after !== undefined && { StartAfter: after }),
        }),
        signal && { abortSignal: signal },
      )
      for (const { Key, Size = 0, LastModified = new Date() } of page.Contents ?? []) {
        if (Key !== undefined) found.push({ key: Key, bytes: Size, changedAt: LastModified })
      }
      ContinuationToken = page.NextContinuationToken
    } while (ContinuationToken !== undefined && found.length < keysMax)
    // Some stores return more keys than requested.
    return found.slice(0, keysMax)
  }
  /** An address ends with the credentials that signed it, so credentials that expire earlier are renewed first. */
  const presign = (command: PutObjectCommand | GetObjectCommand, expiresSeconds: number) =>
    inTime(callMsMax, undefined, async () => {
      const { expiration } = await signer.config.credentials()
      const isTooShort = expiration && expiration.getTime() < Date.now() + expiresSeconds * 1_000
      if (isTooShort) await signer.config.credentials({ forceRefresh: true })
      return getSignedUrl(signer, command, { expiresIn: expiresSeconds })
    }).catch((error: unknown) => {
      throw asOutage(error)
    })
  return {
    uploadAddress: (Key, { expiresSeconds, bytes }) =>
      presign(
        new PutObjectCommand({
          Bucket,
          Key,
          ...(bytes !== undefined && { ContentLength: bytes }),
        }),
        expiresSeconds,
      ),
    downloadAddress: (Key, { expiresSeconds, fileName }) =>
      presign(
        new GetObjectCommand({
          Bucket,
          Key,
          ...(fileName && { ResponseContentDisposition: `inline; filename="${fileName}"` }),
        }),
        expiresSeconds,
      ),
    put: async (key, body, contentType, { signal } = {}) => {
      const sha256 = contentHashIn(key)
      const headers = { 'content-type': contentType, ...encryption }
      const answer = await send({ method: 'PUT', key, headers, body, sha256 }, signal)
      await answer.body.dump()
    },
    head: (key, { signal } = {}) =>
      unlessAbsent(async () => {
        const answer = await send({ method: 'HEAD', key }, signal)
        await answer.body.dump()
        // If the store reports no time, assume that the object was written just now.
        const changedAt = new Date(headerOf(answer, 'last-modified') ?? Date.now())
        return { ...headOf(answer), changedAt }
      }, check),
    get: (key, { bytesMax, signal }) =>
      unlessAbsent(async () => {
        const answer = await send({ method: 'GET', key }, signal)
        const { bytes: length, etag } = headOf(answer)
        if (length > bytesMax) {
          // An unread body would keep the connection in use.
          answer.body.on('error', ignore).destroy()
          throw new Error(`Object is over ${bytesMax} bytes`)
        }
        const bytes = await answer.body.arrayBuffer().catch((error: unknown) => {
          throw asOutage(error)
        })
        return { bytes: new Uint8Array(bytes), etag }
      }),
    getStream: (key, { signal } = {}) =>
      unlessAbsent(async () => {
        const dropped = new AbortController()
        const signals = signal ? [dropped.signal, signal] : [dropped.signal]
        const answer = await send({ method: 'GET', key }, AbortSignal.any(signals))
        const stream = Readable.from(brokenAsOutage(answer.body), { objectMode: false })
        // a reader that stops, perhaps before it has begun, gives the connection back
        answer.body.on('error', ignore)
        stream.once('close', () => dropped.abort())
        return { stream, ...headOf(answer) }
      }),
    copy: async (from, key, options) => {
      try {
        return await copy(from, key, options)
      } catch (error) {
        throw asOutage(error)
      }
    },
    remove: async (key, { signal } = {}) => {
      const answer = await send({ method: 'DELETE', key }, signal)
      await answer.body.dump()
    },
    removeTogether: async (keys, { signal } = {}) => {
      if (keys.length === 0) return []
      const Objects = keys.map((Key) => ({ Key }))
      const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })
      requireMd5(command)
      const { Errors = [] } = await client.send(command, signal && { abortSignal: signal })
      return Errors.map(({ Key = '', Code = 'Unknown' }) => ({ key: Key, code: Code }))
    },
    list: async (prefix, options) => {
      const found = await list(prefix, options)
      return found.map(({ key }) => key)
    },
    listWithTimes: list,
    check,
    close: () => {
      requests.close()
      client.destroy()
    },
  }
}

function ignore(): void {}

function headOf(answer: ObjectAnswer): ObjectHead {
  return {
    bytes: Number(headerOf(answer, 'content-length') ?? 0),
    etag: headerOf(answer, 'etag') ?? '',
  }
}

function headerOf({ headers }: ObjectAnswer, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Reads a body, and throws DependencyUnavailable if it breaks off. */
async function* brokenAsOutage(body: ObjectAnswer['body']): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    throw asOutage(error)
  } finally {
    body.destroy()
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
    forcePathStyle: settings.forcePathStyle ?? true,
    ...(settings.accessKeyId &&
      settings.secretAccessKey && {
        credentials: {
          accessKeyId: settings.accessKeyId,
          secretAccessKey: settings.secretAccessKey,
        },
      }),
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

/** Some stores refuse a deletion of several objects that has only the checksums of newer releases of S3. */
function requireMd5({ middlewareStack }: DeleteObjectsCommand): void {
  middlewareStack.add(
    (next) => (args) => {
      const { headers, body } = args.request as { headers: Record<string, string>; body: string }
      headers['content-md5'] = createHash('md5').update(body).digest('base64')
      return next(args)
    },
    { name: 'requireMd5', step: 'build', priority: 'low' },
  )
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

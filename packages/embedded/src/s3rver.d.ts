declare module '@20minutes/s3rver' {
  import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
  import type FilesystemStore from '@20minutes/s3rver/lib/stores/filesystem.js'

  export type Context = {
    req: IncomingMessage
    method: string
    url: string
    headers: IncomingHttpHeaders
    query: Record<string, string | string[] | undefined>
    state: { account?: object }
    body?: unknown
  }

  export default class S3rver {
    constructor(options: { directory: string; silent: boolean; vhostBuckets: boolean })
    /** The middleware, in the order in which it runs. */
    middleware: ((context: Context, next: () => Promise<void>) => Promise<void>)[]
    context: { store: FilesystemStore }
    store: FilesystemStore
    callback(): (request: IncomingMessage, response: ServerResponse) => void
  }
}

declare module '@20minutes/s3rver/lib/stores/filesystem.js' {
  import type { Readable } from 'node:stream'

  export type Content = Readable | Buffer
  export type Metadata = Record<string, string>
  export type StoredMetadata = Metadata & { etag: string; 'last-modified': string }
  export type NewObject = { bucket: string; key: string; content: Content; metadata: Metadata }
  export type ListOptions = {
    maxKeys?: number
    prefix?: string
    startAfter?: string
    delimiter?: string | undefined
  }

  export default class FilesystemStore {
    readonly rootDirectory: string
    constructor(directory: string)
    getResourcePath(bucket: string, key: string | undefined, resource: string): string
    getMetadata(bucket: string, key: string): Promise<StoredMetadata>
    putBucket(bucket: string): Promise<unknown>
    putContent(path: string, content: Content): Promise<[size: number, md5: string]>
    putObject(object: NewObject): Promise<{ size: number; md5: string }>
    copyObject(
      sourceBucket: string,
      sourceKey: string,
      bucket: string,
      key: string,
      replacement: Metadata | null,
    ): Promise<StoredMetadata>
    deleteObject(bucket: string, key: string): Promise<void>
    listObjects(bucket: string, options: ListOptions): Promise<unknown>
  }
}

declare module '@20minutes/s3rver/lib/signature/v4.js' {
  import type { IncomingHttpHeaders } from 'node:http'

  export type SignedRequest = {
    accessKeyId: string
    credential: { date: string; region: string; service: string; termination: string }
    signedHeaders: string[]
    signatureProvided: string
  }

  const v4: {
    parseHeader(headers: IncomingHttpHeaders): SignedRequest
    parseQuery(query: Record<string, unknown>): SignedRequest & { time: string }
    getSigningKey(secretKey: string, date: string, region: string, service: string): Buffer
    getStringToSign(
      request: {
        method: string
        headers: IncomingHttpHeaders
        timestamp: string
        uri: string
        querystring: string
      },
      signed: SignedRequest,
    ): string
  }
  export default v4
}

declare module '@20minutes/s3rver/lib/models/error.js' {
  export default class S3Error extends Error {
    readonly code: string
    readonly headers: Record<string, string>
    constructor(code: string, message: string, detail?: Record<string, string>)
  }
}

declare module '@20minutes/s3rver/lib/models/object.js' {
  import type { StoredMetadata } from '@20minutes/s3rver/lib/stores/filesystem.js'

  export default class S3Object {
    static readonly ALLOWED_METADATA: readonly string[]
    constructor(bucket: string, key: string, content: null, metadata: StoredMetadata)
  }
}

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import S3rver, { type Context } from '@20minutes/s3rver'
import { limitConnections, serverOptionsOf } from '@despatch/http/connection-limits'
import { lockDirectory } from './directory-lock.ts'
import { dropRefusedBody } from './drop-refused-body.ts'
import { readOrMakeSecrets } from './kept-secrets.ts'
import { type Conditions, ObjectFiles, tooLarge } from './object-files.ts'
import { type AccessKey, checkSignature } from './request-signature.ts'

export type EmbeddedObjectStore = {
  endpoint: string
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  stop(): Promise<void>
}

type Options = {
  /** Where objects are stored between starts. Only one process at a time may use it. */
  directory: string
  bucket: string
  /** Without a key the store makes one, and keeps it in the directory. */
  accessKeyId?: string
  secretAccessKey?: string
  host?: string
  /** Without a port the store uses that of the last start if it is free, so that links remain valid. */
  port?: number
  /** The largest object that a presigned link accepts. Without it, links accept objects of any size. */
  linkBytesMax?: number
  /** false: objects are not forced to disk. For tests. */
  durable?: boolean
}

const region = 'eu-west-2'
const stopDeadlineMs = 2_000
const pageKeysMax = 1_000
const signatureParameters = [
  'Algorithm',
  'Credential',
  'Date',
  'Expires',
  'SignedHeaders',
  'Signature',
].map((name) => `X-Amz-${name}`)

/**
 * Starts an S3 server in this process, with its objects in the given directory. Every request must carry a valid
 * signature of the one key. Objects must be addressed by path (`forcePathStyle`). Throws if another process uses the
 * directory.
 */
export async function startObjectStore(options: Options): Promise<EmbeddedObjectStore> {
  const { bucket, host = '127.0.0.1', durable = true, linkBytesMax } = options
  const directory = resolve(options.directory)
  await mkdir(join(directory, 'objects'), { recursive: true, mode: 0o700 })
  await using parts = new AsyncDisposableStack()
  parts.adopt(await lockDirectory(directory), (claim) => claim.release())
  const key = await chooseKey(directory, options)
  const store = await openStore(directory, durable)
  await store.putBucket(bucket)
  const server = parts.adopt(
    createServer(serverOptionsOf(), createHandler(store, key, linkBytesMax)),
    close,
  )
  limitConnections(server)
  const port = await listenAgain(server, { host, port: options.port, directory })
  const opened = parts.move()
  const stop = () => opened.disposeAsync()
  return { endpoint: `http://${host}:${port}`, region, bucket, ...key, stop }
}

async function chooseKey(
  directory: string,
  { accessKeyId, secretAccessKey }: Options,
): Promise<AccessKey> {
  if (accessKeyId && secretAccessKey) return { accessKeyId, secretAccessKey }
  return readOrMakeSecrets(join(directory, 'key'), () => ({
    accessKeyId: `DESPATCH${randomBytes(6).toString('hex').toUpperCase()}`,
    secretAccessKey: randomBytes(30).toString('base64url'),
  }))
}

async function openStore(directory: string, durable: boolean): Promise<ObjectFiles> {
  const incoming = join(directory, 'incoming')
  await rm(incoming, { recursive: true, force: true })
  await mkdir(incoming)
  return new ObjectFiles({ objects: join(directory, 'objects'), incoming, durable })
}

function createHandler(store: ObjectFiles, key: AccessKey, linkBytesMax: number | undefined) {
  const server = new S3rver({ directory: store.rootDirectory, silent: true, vhostBuckets: false })
  server.store = store
  server.context.store = store
  // Placed inside the middleware that writes the answer as XML, so that it can change the answer before that.
  server.middleware.splice(2, 0, pageLists)
  server.middleware.unshift(dropRefusedBody, async (context, next) => {
    const isLink = 'X-Amz-Algorithm' in context.query
    admit(context, key)
    const bytesMax = isLink ? linkBytesMax : undefined
    if (bytesMax !== undefined) refuseDeclared(context, bytesMax)
    const conditions = { ...readConditions(context), ...(bytesMax !== undefined && { bytesMax }) }
    await store.conditions.run(conditions, next)
  })
  return server.callback()
}

type Listing = { Contents: { Key: string }[]; [member: string]: unknown }

/**
 * Answers a list of keys in pages. The server's own page tokens need a cipher that OpenSSL 3 has moved to its legacy
 * provider, so a token is the last key of its page. A full page has a next one, which may be empty.
 */
async function pageLists(context: Context, next: () => Promise<void>) {
  const { 'continuation-token': token, ...query } = context.query
  if (typeof token === 'string') {
    const after = Buffer.from(token, 'base64url').toString()
    context.query = { ...query, 'start-after': after }
  }
  await next()
  const listing = (context.body as { ListBucketResult?: Listing } | undefined)?.ListBucketResult
  const { Contents: contents = [] } = listing ?? {}
  const keysMax = Math.min(Number(query['max-keys'] ?? pageKeysMax), pageKeysMax)
  const isFull = contents.length > 0 && contents.length >= keysMax
  if (!listing || !isFull || query.delimiter !== undefined) return
  listing.IsTruncated = true
  if (query['list-type'] !== '2') return
  listing.NextContinuationToken = Buffer.from(contents.at(-1)!.Key).toString('base64url')
}

/**
 * The server admits unsigned requests. It also misreads the path of a bucket that ends in a slash, as the SDK sends it.
 * So the signature is checked here and removed from the request.
 */
function admit(context: Context, key: AccessKey) {
  checkSignature(context, key, new Date())
  delete context.headers.authorization
  const copySource = context.headers['x-amz-copy-source']
  if (typeof copySource === 'string') {
    // S3 accepts the slashes encoded or plain, but the server accepts only plain ones.
    context.headers['x-amz-copy-source'] = encodeURI(decodeURIComponent(copySource))
  }
  context.query = Object.fromEntries(
    Object.entries(context.query).filter(([name]) => !signatureParameters.includes(name)),
  )
  context.state.account = {}
}

/** Refuses a body that says beforehand that it is too large. */
function refuseDeclared({ headers }: Context, bytesMax: number) {
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax)
}

function readConditions({ headers }: Context): Conditions {
  const copySourceIfMatch = headers['x-amz-copy-source-if-match']
  return {
    ...(headers['if-none-match'] === '*' && { ifNoneMatch: '*' }),
    ...(typeof copySourceIfMatch === 'string' && { copySourceIfMatch }),
  }
}

type Address = { host: string; port: number | undefined; directory: string }

async function listenAgain(server: Server, { host, port, directory }: Address): Promise<number> {
  const file = join(directory, 'port')
  const last = Number(await readFile(file, 'utf8').catch(() => '0'))
  const listening = await listen(server, host, port ?? last).catch((error) => {
    if (port !== undefined) throw error
    return listen(server, host, 0)
  })
  await writeFile(file, String(listening))
  return listening
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function close(server: Server) {
  const late = setTimeout(() => server.closeAllConnections(), stopDeadlineMs)
  server.close()
  server.closeIdleConnections()
  await once(server, 'close')
  clearTimeout(late)
}

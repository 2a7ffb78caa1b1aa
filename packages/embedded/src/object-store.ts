import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { limitConnections, serverOptionsOf } from '@despatch/http/connection-limits'
import { lockDirectory } from './directory-lock.ts'
import { readOrMakeSecrets } from './kept-secrets.ts'
import { ObjectFiles } from './object-files.ts'
import { answerUnparsed } from './s3/answer-unparsed.ts'
import type { AccessKey } from './s3/check-signature.ts'
import { toKey } from './s3/read-operation.ts'
import { serveObjects } from './s3/serve.ts'

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
/**
 * Starts an S3 server in this process, with the objects of one bucket in the given directory. It has the operations that
 * Despatch uses, and refuses others. Every request must have a valid signature of the one key. Objects must be addressed
 * by path (`forcePathStyle`). Throws if another process uses the directory.
 */
export async function startObjectStore(options: Options): Promise<EmbeddedObjectStore> {
  const { bucket, host = '127.0.0.1', durable = true, linkBytesMax } = options
  const directory = resolve(options.directory)
  await mkdir(join(directory, 'objects'), { recursive: true, mode: 0o700 })
  await using parts = new AsyncDisposableStack()
  parts.adopt(await lockDirectory(directory), (lock) => lock.release())
  const key = await chooseKey(directory, options)
  const files = await openFiles(directory, bucket, durable)
  const { listener, idle } = serveObjects({ files, bucket, linkBytesMax, key, region })
  // The directory stays locked until no request works in it.
  parts.defer(idle)
  const server = parts.adopt(createServer(serverOptionsOf(), listener), close)
  limitConnections(server)
  answerUnparsed(server)
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

async function openFiles(directory: string, bucket: string, durable: boolean) {
  const incoming = join(directory, 'incoming')
  const objects = join(directory, 'objects', toKey([bucket]))
  await rm(incoming, { recursive: true, force: true })
  await mkdir(incoming)
  await mkdir(objects, { recursive: true })
  return new ObjectFiles({ objects, incoming, durable })
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

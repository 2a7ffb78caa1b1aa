import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import {
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import S3Error from '@20minutes/s3rver/lib/models/error.js'
import S3Object from '@20minutes/s3rver/lib/models/object.js'
import FilesystemStore, {
  type Content,
  type ListOptions,
  type Metadata,
  type NewObject,
  type StoredMetadata,
} from '@20minutes/s3rver/lib/stores/filesystem.js'

/** The conditions of a request on the objects that it writes or copies. `bytesMax` limits the object that it sends. */
export type Conditions = { ifNoneMatch?: '*'; copySourceIfMatch?: string; bytesMax?: number }

const objectSuffix = '._S3rver_object'
const pageKeysMax = 1_000
const knownMax = 10_000

type Received = { file: string; size: number; md5: string }

/**
 * The server's store of objects in files, made reliable: an object appears whole or not at all, is on disk before it is
 * acknowledged, and conditional writes are atomic. Only one process at a time may use the directory.
 */
export class ObjectFiles extends FilesystemStore {
  readonly conditions = new AsyncLocalStorage<Conditions>()
  readonly #incoming: string
  readonly #durable: boolean
  readonly #queues = new Map<string, Promise<unknown>>()
  /** The metadata of the objects that were read last, by their paths. */
  readonly #known = new Map<string, StoredMetadata>()

  constructor({ objects, incoming, durable }: Record<'objects' | 'incoming', string> & Sync) {
    super(objects)
    this.#incoming = incoming
    this.#durable = durable
  }

  override async putObject({ content, ...object }: NewObject) {
    const received = await this.#receive(content)
    await this.#store(received, object)
    const { size, md5 } = received
    return { size, md5 }
  }

  /** The parts of a multipart upload arrive here individually. */
  override async putContent(path: string, content: Content): Promise<[number, string]> {
    const { file, size, md5 } = await this.#receive(content)
    try {
      await this.#alone(path, () => this.#place(file, path))
      return [size, md5]
    } finally {
      await rm(file, { force: true })
    }
  }

  override async copyObject(
    sourceBucket: string,
    sourceKey: string,
    bucket: string,
    key: string,
    replacement: Metadata | null,
  ) {
    const source = this.getResourcePath(sourceBucket, sourceKey, 'object')
    const file = join(this.#incoming, randomUUID())
    const metadata = await this.#alone(source, async () => {
      const metadata = await this.#readMetadata(sourceBucket, sourceKey)
      const wanted = this.conditions.getStore()?.copySourceIfMatch
      if (wanted !== undefined && unquoted(wanted) !== unquoted(metadata.etag)) {
        throw preconditionFailed('x-amz-copy-source-If-Match')
      }
      await copyFile(source, file, constants.COPYFILE_FICLONE)
      return metadata
    })
    if (this.#durable) await sync(file)
    const md5 = unquoted(metadata.etag)
    await this.#store({ file, md5 }, { bucket, key, metadata: replacement ?? metadata })
    return this.getMetadata(bucket, key)
  }

  override getMetadata(bucket: string, key: string): Promise<StoredMetadata> {
    const path = this.getResourcePath(bucket, key, 'object')
    const known = this.#known.get(path)
    if (known) return Promise.resolve(known)
    return this.#alone(path, () => this.#readMetadata(bucket, key))
  }

  async #readMetadata(bucket: string, key: string): Promise<StoredMetadata> {
    const path = this.getResourcePath(bucket, key, 'object')
    const [{ mtime, size }, stored] = await Promise.all([
      stat(path),
      readStored(this.getResourcePath(bucket, key, 'metadata.json')),
    ])
    const { md5, ...kept } = stored
    const metadata = md5
      ? {
          ...kept,
          etag: `"${md5}"`,
          'last-modified': mtime.toUTCString(),
          'content-length': String(size),
        }
      : // earlier releases stored the digest in a file of its own
        await super.getMetadata(bucket, key)
    this.#know(path, metadata)
    return metadata
  }

  #know(path: string, metadata: StoredMetadata): void {
    this.#known.set(path, metadata)
    if (this.#known.size > knownMax) this.#known.delete(this.#known.keys().next().value!)
  }

  /** Leaves an emptied directory in place: removing it would race with an object that is put into it. */
  override async deleteObject(bucket: string, key: string) {
    const path = this.getResourcePath(bucket, key, 'object')
    await this.#alone(path, async () => {
      this.#known.delete(path)
      for (const resource of ['object.md5', 'metadata.json', 'object']) {
        await rm(this.getResourcePath(bucket, key, resource), { force: true })
      }
    })
  }

  /** Reads only directories that can contain the keys, and describes only the objects of the page. */
  override async listObjects(bucket: string, options: ListOptions) {
    const { delimiter, prefix = '', startAfter = '', maxKeys = pageKeysMax } = options
    if (delimiter) {
      return super.listObjects(bucket, { ...options, maxKeys: Number.POSITIVE_INFINITY })
    }
    const keys: string[] = []
    const collect = async (folder: string) => {
      const path = join(this.rootDirectory, bucket, folder)
      for (const entry of await readdir(path, { withFileTypes: true })) {
        const key = folder + entry.name
        if (entry.isDirectory()) {
          if (mayContain(`${key}/`, { prefix, startAfter })) await collect(`${key}/`)
        } else if (key.endsWith(objectSuffix)) keys.push(key.slice(0, -objectSuffix.length))
      }
    }
    await collect('')
    const wanted = keys.filter((key) => key.startsWith(prefix) && key > startAfter).sort()
    const objects: S3Object[] = []
    for (let from = 0; from < wanted.length && objects.length < maxKeys; ) {
      const some = wanted.slice(from, from + maxKeys - objects.length)
      from += some.length
      const described = some.map(async (key) => {
        const metadata = await this.getMetadata(bucket, key).catch(unlessDeleted)
        return metadata ? [new S3Object(bucket, key, null, metadata)] : []
      })
      objects.push(...(await Promise.all(described)).flat())
    }
    return { objects, commonPrefixes: [], isTruncated: false }
  }

  /** Stops at the first byte beyond the limit. The rest of the content then stays unread. */
  async #receive(content: Content): Promise<Received> {
    const { bytesMax = Number.POSITIVE_INFINITY } = this.conditions.getStore() ?? {}
    const received = join(this.#incoming, randomUUID())
    const md5 = createHash('md5')
    const source =
      content instanceof Readable ? content : Readable.from(content, { objectMode: false })
    let size = 0
    try {
      const counted = async function* (): AsyncGenerator<Buffer> {
        for await (const chunk of source.iterator({ destroyOnReturn: false })) {
          size += chunk.length
          if (size > bytesMax) return
          md5.update(chunk)
          yield chunk
        }
      }
      await this.#write(received, counted())
      if (size > bytesMax) throw tooLarge(bytesMax)
      return { file: received, size, md5: md5.digest('hex') }
    } catch (error) {
      if (size <= bytesMax) source.destroy()
      await rm(received, { force: true })
      throw error
    }
  }

  async #write(file: string, content: string | AsyncIterable<Uint8Array>) {
    await writeFile(file, content, { flush: this.#durable })
  }

  async #store(
    { file, md5 }: Pick<Received, 'file' | 'md5'>,
    { bucket, key, metadata }: Omit<NewObject, 'content'>,
  ): Promise<void> {
    const [path, digestPath, metadataPath] = ['object', 'object.md5', 'metadata.json'].map(
      (resource) => this.getResourcePath(bucket, key, resource),
    ) as [string, string, string]
    const beside = `${file}.json`
    const onlyWhenAbsent = this.conditions.getStore()?.ifNoneMatch === '*'
    try {
      // Write both files before placing any: if the disk is full, the existing object remains unchanged.
      await this.#write(beside, JSON.stringify({ ...keptMetadata(metadata), md5 }))
      await this.#alone(path, async () => {
        this.#known.delete(path)
        // Without a stored digest it is computed again. A crash between these steps therefore leaves no wrong digest.
        const outdated = onlyWhenAbsent ? [] : [digestPath, metadataPath]
        for (const file of outdated) await rm(file, { force: true })
        await this.#place(file, path, onlyWhenAbsent)
        await rename(beside, metadataPath)
      })
    } finally {
      for (const left of [file, beside]) await rm(left, { force: true })
    }
  }

  async #place(file: string, path: string, onlyWhenAbsent = false) {
    await mkdir(dirname(path), { recursive: true })
    if (onlyWhenAbsent) {
      await link(file, path).catch(async (error: NodeJS.ErrnoException) => {
        throw error.code === 'EEXIST' ? preconditionFailed('If-None-Match') : error
      })
    } else {
      await rename(file, path)
    }
    if (this.#durable) await sync(dirname(path))
  }

  /** Runs the work after all earlier work on the same file. */
  #alone<T>(path: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#queues.get(path) ?? Promise.resolve()).then(work, work)
    this.#queues.set(path, done)
    const forget = () => {
      if (this.#queues.get(path) === done) this.#queues.delete(path)
    }
    done.then(forget, forget)
    return done
  }
}

type Range = { prefix: string; startAfter: string }

function mayContain(folder: string, { prefix, startAfter }: Range): boolean {
  const isBelow = folder.startsWith(prefix) || prefix.startsWith(folder)
  return isBelow && (folder > startAfter || startAfter.startsWith(folder))
}

function unlessDeleted(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function readStored(file: string): Promise<Metadata> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** Returns the metadata that the server stores with an object. */
function keptMetadata(metadata: Metadata): Metadata {
  const names = Object.keys(metadata).filter(
    (name) => S3Object.ALLOWED_METADATA.includes(name) || name.startsWith('x-amz-meta-'),
  )
  return Object.fromEntries(names.map((name) => [name, metadata[name]!]))
}

type Sync = { durable: boolean }

/** Forces a file or a directory to disk. */
async function sync(path: string) {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The refusal of an object that is larger than its request may send. */
export function tooLarge(bytesMax: number): S3Error {
  return new S3Error(
    'EntityTooLarge',
    `The object is larger than the ${bytesMax} bytes that this link accepts.`,
  )
}

function preconditionFailed(condition: string) {
  return new S3Error(
    'PreconditionFailed',
    'At least one of the pre-conditions you specified did not hold',
    { Condition: condition },
  )
}

function unquoted(etag: string): string {
  return etag.replaceAll('"', '')
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import S3Error from '@20minutes/s3rver/lib/models/error.js'
import S3Object from '@20minutes/s3rver/lib/models/object.js'
import FilesystemStore, {
  type Content,
  type ListOptions,
  type Metadata,
  type NewObject,
} from '@20minutes/s3rver/lib/stores/filesystem.js'

/** Conditions of a request for the objects that it writes or copies, from its headers. */
export type Conditions = { ifNoneMatch?: '*'; copySourceIfMatch?: string }

type Received = { file: string; size: number; md5: string }

/**
 * Objects in files, with guarantees that the server lacks: an object appears completely or not at all, is on disk
 * before it is acknowledged, and conditional writes are atomic. Only one process at a time may use the directory.
 */
export class ObjectFiles extends FilesystemStore {
  readonly conditions = new AsyncLocalStorage<Conditions>()
  readonly #incoming: string
  readonly #durable: boolean
  readonly #queues = new Map<string, Promise<unknown>>()

  constructor({ objects, incoming, durable }: Record<'objects' | 'incoming', string> & Sync) {
    super(objects)
    this.#incoming = incoming
    this.#durable = durable
  }

  override async putObject({ bucket, key, content, metadata }: NewObject) {
    const { file, size, md5 } = await this.#receive(content)
    const path = this.getResourcePath(bucket, key, 'object')
    const beside = { metadata: `${file}.json`, md5: `${file}.md5` }
    try {
      // Everything is written before anything is moved into place, so a full disk leaves existing objects unchanged.
      await Promise.all([
        this.#write(beside.metadata, JSON.stringify(keptMetadata(metadata))),
        this.#write(beside.md5, md5),
      ])
      await this.#alone(path, async () => {
        await this.#place(file, path, this.conditions.getStore()?.ifNoneMatch === '*')
        await rename(beside.md5, `${path}.md5`)
        await rename(beside.metadata, this.getResourcePath(bucket, key, 'metadata.json'))
      })
      return { size, md5 }
    } finally {
      for (const left of [file, beside.metadata, beside.md5]) await rm(left, { force: true })
    }
  }

  /** The parts of a multipart upload use this method directly. */
  override async putContent(path: string, content: Content): Promise<[number, string]> {
    const { file, size, md5 } = await this.#receive(content)
    try {
      await this.#alone(path, () => this.#place(file, path, false))
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
    const { content, metadata } = await this.#alone(source, async () => {
      const metadata = await super.getMetadata(sourceBucket, sourceKey)
      const wanted = this.conditions.getStore()?.copySourceIfMatch
      if (wanted !== undefined && unquoted(wanted) !== unquoted(metadata.etag)) {
        throw preconditionFailed('x-amz-copy-source-If-Match')
      }
      // The open file stays the one that was checked, even if its name is overwritten meanwhile.
      return { metadata, content: createReadStream('', { fd: await open(source) }) }
    })
    await this.putObject({ bucket, key, content, metadata: replacement ?? metadata })
    return this.getMetadata(bucket, key)
  }

  override getMetadata(bucket: string, key: string) {
    const path = this.getResourcePath(bucket, key, 'object')
    return this.#alone(path, () => super.getMetadata(bucket, key))
  }

  /** Leaves an empty directory behind: removing it would race with an object written into it. */
  override async deleteObject(bucket: string, key: string) {
    const path = this.getResourcePath(bucket, key, 'object')
    await this.#alone(path, async () => {
      for (const resource of ['object', 'object.md5', 'metadata.json']) {
        await rm(this.getResourcePath(bucket, key, resource), { force: true })
      }
    })
  }

  /** Always returns the whole list, because the server's page tokens require a cipher that OpenSSL 3 has disabled. */
  override listObjects(bucket: string, options: ListOptions) {
    return super.listObjects(bucket, { ...options, maxKeys: Number.POSITIVE_INFINITY })
  }

  async #receive(content: Content): Promise<Received> {
    const received = join(this.#incoming, randomUUID())
    const md5 = createHash('md5')
    let size = 0
    try {
      const counted = async function* () {
        for await (const chunk of Readable.from(content, { objectMode: false })) {
          md5.update(chunk)
          size += chunk.length
          yield chunk
        }
      }
      await this.#write(received, counted())
      return { file: received, size, md5: md5.digest('hex') }
    } catch (error) {
      await rm(received, { force: true })
      throw error
    }
  }

  async #write(file: string, content: string | AsyncIterable<Uint8Array>) {
    await writeFile(file, content, { flush: this.#durable })
  }

  async #place(file: string, path: string, onlyWhenAbsent: boolean) {
    await mkdir(dirname(path), { recursive: true })
    if (onlyWhenAbsent) {
      await link(file, path).catch(async (error: NodeJS.ErrnoException) => {
        throw error.code === 'EEXIST' ? preconditionFailed('If-None-Match') : error
      })
    } else {
      // The digest of an object without one is computed again. So a crash between these two leaves no wrong digest.
      await rm(`${path}.md5`, { force: true })
      await rename(file, path)
    }
    if (this.#durable) await syncDirectory(dirname(path))
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

/** Returns the metadata that the server stores with an object. */
function keptMetadata(metadata: Metadata): Metadata {
  const names = Object.keys(metadata).filter(
    (name) => S3Object.ALLOWED_METADATA.includes(name) || name.startsWith('x-amz-meta-'),
  )
  return Object.fromEntries(names.map((name) => [name, metadata[name]!]))
}

type Sync = { durable: boolean }

async function syncDirectory(directory: string) {
  const handle = await open(directory)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
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

import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import {
  copyFile,
  type FileHandle,
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
import type { Readable } from 'node:stream'
import { type Digest, startDigests } from './s3/digests.ts'
import type { List } from './s3/read-operation.ts'
import { S3Error } from './s3/s3-error.ts'

/** What is known of an object besides its bytes. */
export type ObjectHead = { etag: string; bytes: number; contentType: string; modifiedAt: Date }

type New = {
  contentType: string
  /** Refuses the object if the key has one already. */
  onlyIfAbsent: boolean
  /** The largest object that is accepted. */
  bytesMax: number
  digests: readonly Digest[]
}

type Received = { file: string; md5: string }
type Described = Received & { contentType: string }

// The suffixes of the files of one object.
const objectSuffix = '._S3rver_object'
const descriptionSuffix = '._S3rver_metadata.json'
const knownMax = 10_000

/**
 * The objects of one bucket in files: an object appears whole or not at all, is on disk before it is acknowledged, and
 * conditional writes are atomic. Only one process at a time may use the directories. Keys are those that `toKey` allows.
 */
export class ObjectFiles {
  readonly #objects: string
  readonly #incoming: string
  readonly #durable: boolean
  readonly #queues = new Map<string, Promise<unknown>>()
  /** The heads of the objects that were read last. */
  readonly #known = new Map<string, ObjectHead>()

  /** `durable`: false does not force objects to disk. */
  constructor({
    objects,
    incoming,
    durable,
  }: Record<'objects' | 'incoming', string> & { durable: boolean }) {
    this.#objects = objects
    this.#incoming = incoming
    this.#durable = durable
  }

  /** Stores an object, and returns its ETag. Throws S3Error if the bytes are too many or differ from a digest. */
  async put(key: string, content: Readable, options: New): Promise<string> {
    const received = await this.#receive(content, options)
    await this.#store(key, { ...received, contentType: options.contentType }, options)
    return etagOf(received.md5)
  }

  /** Copies an object if it still has the ETag. Throws S3Error otherwise. */
  async copy(
    from: string,
    key: string,
    ifMatch: string | undefined,
  ): Promise<Pick<ObjectHead, 'etag' | 'modifiedAt'>> {
    const file = join(this.#incoming, randomUUID())
    try {
      const { etag, contentType } = await this.#alone(from, async () => {
        const head = await this.#head(from)
        if (!head) throw absent()
        if (ifMatch !== undefined && unquoted(ifMatch) !== unquoted(head.etag)) {
          throw preconditionFailed()
        }
        await copyFile(this.#fileOf(from), file, constants.COPYFILE_FICLONE)
        return head
      })
      if (this.#durable) await sync(file)
      return await this.#store(key, { file, md5: unquoted(etag), contentType })
    } catch (error) {
      await rm(file, { force: true })
      throw error
    }
  }

  /** Opens an object. The head belongs to the bytes of the handle, whatever is stored meanwhile. */
  async open(key: string): Promise<{ head: ObjectHead; handle: FileHandle } | undefined> {
    return this.#alone(key, async () => {
      const head = await this.#head(key)
      return head && { head, handle: await open(this.#fileOf(key)) }
    })
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    return this.#known.get(key) ?? this.#alone(key, () => this.#head(key))
  }

  /**
   * Deletes objects. Those that do not exist count as deleted. Leaves an emptied directory in place: removing it would
   * race with an object that is put into it.
   */
  async delete(keys: readonly string[]): Promise<void> {
    await Promise.all(
      keys.map((key) =>
        this.#alone(key, async () => {
          this.#known.delete(key)
          await rm(this.#descriptionOf(key), { force: true })
          await rm(this.#fileOf(key), { force: true })
        }),
      ),
    )
    if (!this.#durable) return
    const folders = new Set(keys.map((key) => dirname(this.#fileOf(key))))
    await Promise.all([...folders].map((folder) => sync(folder).catch(unlessAbsent)))
  }

  /** Returns a page in the order of the keys. Reads only directories that can contain its keys. */
  async list({ prefix, after, keysMax }: Omit<List, 'kind'>) {
    const keys: string[] = []
    const collect = async (folder: string) => {
      for (const entry of await readdir(join(this.#objects, folder), { withFileTypes: true })) {
        const key = folder + entry.name
        if (entry.isDirectory()) {
          if (mayContain(`${key}/`, { prefix, after })) await collect(`${key}/`)
        } else if (key.endsWith(objectSuffix)) keys.push(key.slice(0, -objectSuffix.length))
      }
    }
    await collect('')
    const wanted = keys.filter((key) => key.startsWith(prefix) && key > after).sort()
    const objects: ({ key: string } & ObjectHead)[] = []
    for (let from = 0; from < wanted.length && objects.length < keysMax; ) {
      const some = wanted.slice(from, from + keysMax - objects.length)
      from += some.length
      const described = some.map(async (key) => {
        const head = await this.head(key)
        return head ? [{ key, ...head }] : []
      })
      objects.push(...(await Promise.all(described)).flat())
    }
    return objects
  }

  #fileOf(key: string): string {
    return join(this.#objects, `${key}${objectSuffix}`)
  }

  #descriptionOf(key: string): string {
    return join(this.#objects, `${key}${descriptionSuffix}`)
  }

  async #head(key: string): Promise<ObjectHead | undefined> {
    const known = this.#known.get(key)
    if (known) return known
    const [file, description] = await Promise.all([
      stat(this.#fileOf(key)).catch(unlessAbsent),
      readFile(this.#descriptionOf(key), 'utf8').catch(unlessAbsent),
    ])
    if (!file) return undefined
    const { md5, 'content-type': contentType = 'application/octet-stream' } = parse(description)
    const head = {
      // After a crash between the placing of the two files, the digest is computed.
      etag: etagOf(md5 ?? (await md5OfFile(this.#fileOf(key)))),
      bytes: file.size,
      contentType,
      modifiedAt: file.mtime,
    }
    return this.#remember(key, head)
  }

  #remember(key: string, head: ObjectHead): ObjectHead {
    this.#known.set(key, head)
    if (this.#known.size > knownMax) this.#known.delete(this.#known.keys().next().value!)
    return head
  }

  /** Stops at the first byte beyond the limit. The rest of the content then stays unread. */
  async #receive(content: Readable, { bytesMax, digests }: New): Promise<Received> {
    const file = join(this.#incoming, randomUUID())
    const md5 = createHash('md5')
    const given = startDigests(digests)
    let size = 0
    try {
      const counted = async function* (): AsyncGenerator<Buffer> {
        for await (const chunk of content.iterator({ destroyOnReturn: false })) {
          size += chunk.length
          if (size > bytesMax) return
          md5.update(chunk)
          given.update(chunk)
          yield chunk
        }
      }
      await this.#write(file, counted())
      if (size > bytesMax) throw tooLarge(bytesMax)
      given.check()
      return { file, md5: md5.digest('hex') }
    } catch (error) {
      await rm(file, { force: true })
      throw error
    }
  }

  async #write(file: string, content: string | AsyncIterable<Uint8Array>) {
    await writeFile(file, content, { flush: this.#durable })
  }

  async #store(
    key: string,
    { file, md5, contentType }: Described,
    { onlyIfAbsent }: Pick<New, 'onlyIfAbsent'> = { onlyIfAbsent: false },
  ): Promise<ObjectHead> {
    const [path, description] = [this.#fileOf(key), this.#descriptionOf(key)]
    const [beside, withoutDigest] = [`${file}.json`, `${file}.type.json`]
    let left = [file, beside, withoutDigest]
    try {
      // Write all files before placing any: if the disk is full, the existing object remains unchanged.
      await this.#write(beside, JSON.stringify({ 'content-type': contentType, md5 }))
      return await this.#alone(key, async () => {
        this.#known.delete(key)
        await mkdir(dirname(path), { recursive: true })
        if (onlyIfAbsent) await link(file, path).catch(refuseExisting)
        else {
          // So that a crash between these steps leaves no wrong digest.
          if (await stat(description).catch(unlessAbsent)) {
            await this.#write(withoutDigest, JSON.stringify({ 'content-type': contentType }))
            await rename(withoutDigest, description)
          }
          await rename(file, path)
        }
        await rename(beside, description)
        left = onlyIfAbsent ? [file] : []
        if (this.#durable) await sync(dirname(path))
        const { size, mtime } = await stat(path)
        return this.#remember(key, {
          etag: etagOf(md5),
          bytes: size,
          contentType,
          modifiedAt: mtime,
        })
      })
    } finally {
      for (const each of left) await rm(each, { force: true })
    }
  }

  /** Runs the work after all earlier work on the same key. */
  #alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    const done = (this.#queues.get(key) ?? Promise.resolve()).then(work, work)
    this.#queues.set(key, done)
    const forget = () => {
      if (this.#queues.get(key) === done) this.#queues.delete(key)
    }
    done.then(forget, forget)
    return done
  }
}

function mayContain(folder: string, { prefix, after }: Pick<List, 'prefix' | 'after'>): boolean {
  const isBelow = folder.startsWith(prefix) || prefix.startsWith(folder)
  return isBelow && (folder > after || after.startsWith(folder))
}

function refuseExisting(error: NodeJS.ErrnoException): never {
  throw error.code === 'EEXIST' ? preconditionFailed() : error
}

/** A description that cannot be read is missing: the digest is computed from the object. */
function parse(description: string | undefined): { md5?: string; 'content-type'?: string } {
  try {
    return JSON.parse(description ?? '{}')
  } catch {
    return {}
  }
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function md5OfFile(path: string): Promise<string> {
  const hash = createHash('md5')
  await using file = await open(path)
  for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk)
  return hash.digest('hex')
}

/** Forces a file or a directory to disk. */
async function sync(path: string) {
  await using handle = await open(path)
  await handle.sync()
}

/** The refusal of an object that is larger than its request may send. */
export function tooLarge(bytesMax: number): S3Error {
  const message = `The object is larger than the ${bytesMax} bytes that are accepted here`
  return new S3Error('EntityTooLarge', message)
}

export function absent(): S3Error {
  return new S3Error('NoSuchKey', 'The key does not exist')
}

export function preconditionFailed(): S3Error {
  return new S3Error('PreconditionFailed', 'The condition of the request does not hold')
}

function etagOf(md5: string): string {
  return `"${md5}"`
}

function unquoted(etag: string): string {
  return etag.replaceAll('"', '')
}

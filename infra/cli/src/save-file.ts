import { createHash, randomUUID } from 'node:crypto'
import { access, link, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Failure } from './failure.ts'

/** The size and hash of a written file. */
type SavedFile = { bytes: number; sha256: string }

/**
 * Writes a file that only its owner may read, under a temporary name until it is complete. Throws a Failure if the file
 * exists (unless `force`, which replaces it), if it cannot be written, or if the content breaks off; then no file is
 * left.
 */
export async function saveFile(
  path: string,
  content: () => Promise<AsyncIterable<Uint8Array>>,
  { force }: { force: boolean },
): Promise<SavedFile> {
  // Checked before the content is requested.
  if (!force && (await isThere(path))) throw alreadyThere(path)
  const partial = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`)
  const file = await open(partial, 'wx', 0o600).catch(cannotWrite(path))
  try {
    const saved = await write(file, await content())
    await file.close()
    await put(partial, path, force).catch(cannotWrite(path))
    return saved
  } finally {
    await file.close().catch(() => {})
    await unlink(partial).catch(() => {})
  }
}

async function put(partial: string, path: string, force: boolean): Promise<void> {
  if (force) return rename(partial, path)
  // Unlike a rename, a link does not replace a file created meanwhile. Not every file system supports links.
  return link(partial, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw error
    return rename(partial, path)
  })
}

async function write(
  file: Awaited<ReturnType<typeof open>>,
  content: AsyncIterable<Uint8Array>,
): Promise<SavedFile> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of whole(content)) {
    hash.update(chunk)
    bytes += chunk.length
    await file.writeFile(chunk)
  }
  await file.sync()
  return { bytes, sha256: hash.digest('hex') }
}

async function* whole(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* content
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure('the download was cut off. Try again', { exitCode: 1, cause })
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

function cannotWrite(path: string): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    if (cause.code === 'EEXIST') throw alreadyThere(path)
    throw new Failure(`${path} cannot be written (${cause.code})`, { exitCode: 1, cause })
  }
}

function alreadyThere(path: string): Failure {
  return new Failure(`${path} already exists. Give --force to overwrite it`, { exitCode: 1 })
}

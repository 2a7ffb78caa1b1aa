import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { Failure, wrongUsage } from '../failure.ts'

export type SourceFile = { path: string; bytes: number; sha256: string; modifiedAtMs: number }
export type SourceFormat = 'csv' | 'ndjson'

/** Reads a source once, to recognise it later. Throws a Failure if it is not a readable file. */
export async function identifySource(path: string, signal: AbortSignal): Promise<SourceFile> {
  try {
    const { size: bytes, mtimeMs: modifiedAtMs, ...stats } = await stat(path)
    if (!isFile(stats.mode)) throw wrongUsage(`${path} is not a file`)
    const hash = createHash('sha256')
    await pipeline(createReadStream(path, { highWaterMark: readBytes }), hash, { signal })
    return { path, bytes, modifiedAtMs, sha256: hash.digest('hex') }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Failure) throw error
    throw wrongUsage(`${path} cannot be read (${(error as { code?: string }).code})`)
  }
}

export const readBytes = 256 * 1024

/** Throws a Failure with the consequence if the source has changed since it was identified. */
export async function refuseChange(
  { path, bytes, modifiedAtMs }: SourceFile,
  consequence: string,
): Promise<void> {
  const { size, mtimeMs } = await stat(path)
  if (size === bytes && mtimeMs === modifiedAtMs) return
  throw new Failure(`${path} changed while it was read. ${consequence}`, { exitCode: 1 })
}

/** Returns the given format, otherwise the format of the file's extension. Throws a Failure if there is none. */
export function formatOf(path: string, given: SourceFormat | undefined): SourceFormat {
  if (path === '-') {
    throw wrongUsage(
      'standard input cannot be imported, because a source is read twice. Give a file',
    )
  }
  if (given) return given
  if (/\.csv$/i.test(path)) return 'csv'
  if (/\.(ndjson|jsonl)$/i.test(path)) return 'ndjson'
  throw wrongUsage(`${path} ends with neither .csv nor .ndjson: give --format`)
}

function isFile(mode: number): boolean {
  const fileType = 0o170000
  const regularFile = 0o100000
  return (mode & fileType) === regularFile
}

import { createHash } from 'node:crypto'
import { type FileStructure, startStructureReader } from '@despatch/documents/file-structure'
import { fileKey, uploadKey } from '@despatch/object-store/keys'
import type { ObjectStream } from '@despatch/object-store/object-store'
import type { StepFile } from '@despatch/store/print-job/steps'
import type { Effects } from '../print-job/stage.ts'

/**
 * The state of one file. `nothing`: the upload has not arrived. `unscanned`: it has arrived, and the virus scanner
 * returned no verdict.
 */
export type FoundFile = { fileId: string; position: number } & (
  | { found: 'nothing' }
  /** `remove` is the key of an upload, which is of no use. A file that intake stored may belong to other letters. */
  | { found: 'too-large'; bytes: number; remove?: string }
  | { found: 'unscanned' }
  | { found: 'infected' }
  | (FileStructure & {
      found: 'bytes'
      sha256: string
      /** Absent if it is too large to keep. */
      content?: Uint8Array | undefined
      copy?: { from: string; to: string; etag: string }
    })
)

type Scan = (content: AsyncIterable<Uint8Array>) => Promise<'clean' | 'infected' | 'none'>

/** The content of a larger file is read again when the letter is made. */
const keptBytesMax = 4 * 1024 * 1024
/** A read that takes longer is stuck. */
const readMsMax = 300_000

/**
 * Checks one file in place. It is read once, as a stream: the same bytes yield its hash, its structure and the verdict
 * of the virus scanner. Memory holds only buffers of a file that is too large to keep.
 */
export async function findFile(
  { objects, scanner, uploadBytesMax }: Pick<Effects, 'objects' | 'scanner' | 'uploadBytesMax'>,
  printJobKey: string,
  { fileId, position, source, uploadId, sha256: sha256Known, bytes: bytesKnown }: StepFile,
  lost: AbortSignal,
): Promise<FoundFile> {
  const file = { fileId, position }
  // Intake stored the file of a custom parameter under its hash, where only the service writes.
  const key = source === 'upload' ? uploadKey(uploadId!) : fileKey(sha256Known!)
  const signal = AbortSignal.any([lost, AbortSignal.timeout(readMsMax)])
  const object = await objects.getStream(key, { signal })
  if (!object && source !== 'upload')
    throw new StoredFileGone('A file that intake stored is missing')
  if (!object) return { ...file, found: 'nothing' }
  try {
    const { bytes, etag } = object
    if (bytes > uploadBytesMax)
      return { ...file, found: 'too-large', bytes, ...(source === 'upload' && { remove: key }) }
    if (scanner && bytes > 0 && !(await scanner.isUp())) return { ...file, found: 'unscanned' }
    const scan: Scan | undefined =
      scanner &&
      ((content) => scanner.scan(content, { printJobKey, position, uploadId, bytes }, signal))
    const read = await readThrough(object, scan)
    if (typeof read === 'string') return { ...file, found: read }
    if (source === 'upload') {
      const copy = { from: key, to: fileKey(read.sha256), etag }
      return { ...file, found: 'bytes', ...read, copy }
    }
    if (read.sha256 !== sha256Known || read.bytes !== bytesKnown) {
      throw new Error(`File ${position} differs from the submitted file`)
    }
    return { ...file, found: 'bytes', ...read }
  } finally {
    object.stream.destroy()
  }
}

/** A lost file is a fault of ours, so the letter is not rejected for it. */
class StoredFileGone extends Error {
  override readonly name = 'StoredFileGone'
}

async function readThrough({ stream, bytes }: ObjectStream, scan: Scan = readAll) {
  const hash = createHash('sha256')
  const structure = startStructureReader(bytes)
  const kept: Uint8Array[] | undefined = bytes > keptBytesMax ? undefined : []
  async function* passing(): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      hash.update(chunk)
      structure.push(chunk)
      kept?.push(chunk)
      yield chunk
    }
  }
  const verdict = bytes > 0 ? await scan(passing()) : await readAll(passing())
  if (verdict === 'infected') return 'infected'
  if (verdict === 'none') return 'unscanned'
  const seen = structure.end()
  if (seen.bytes !== bytes) throw new Error(`An upload of ${bytes} bytes ended after ${seen.bytes}`)
  return { ...seen, sha256: hash.digest('hex'), content: kept && Buffer.concat(kept) }
}

async function readAll(content: AsyncIterable<Uint8Array>): Promise<'clean'> {
  for await (const _chunk of content);
  return 'clean'
}

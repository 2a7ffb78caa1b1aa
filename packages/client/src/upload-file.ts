import type { Session } from './session.ts'
import { type TransferOptions, transferFile } from './transfer.ts'

/** A file. A stream needs its length in bytes, and is sent once: it cannot be repeated. */
export type FileSource =
  | Blob
  | Uint8Array
  | { stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>; bytes: number }

export type UploadOptions = TransferOptions & {
  /** Default: the type of a Blob. */
  contentType?: string | undefined
  /**
   * Called with the bytes sent so far and the length of the file. Begins again with 0 when the upload is repeated. In
   * browsers it is called at the start and at the end only.
   */
  onProgress?: ((progress: { sentBytes: number; totalBytes: number }) => void) | undefined
}

type Upload = { uploadId: string; url: string }

const chunkBytes = 64 * 1024

/**
 * Sends a file to an address that Despatch supplies, and returns its upload id for `fileParams`. An error of the file
 * itself, and one that `onProgress` throws, is thrown as it is.
 */
export function uploadFile(
  session: Session,
  file: FileSource,
  options: UploadOptions = {},
): Promise<string> {
  const { signal = session.signal, timeoutMs, onProgress = () => {} } = options
  const { bytes, type, pieces, whole } = sourceOf(file)
  const contentType = options.contentType ?? type
  const report = (sentBytes: number) => onProgress({ sentBytes, totalBytes: bytes })
  const path = '/print-request/v1/print/files/upload-url'
  // A browser neither streams a body with a known length nor tells how much of it has been sent.
  const isWhole = whole !== undefined && (isBrowser || bytes === 0)
  const isRepeatable = whole !== undefined
  let attempt: Attempt = { isOver: true }
  return transferFile({
    signal,
    timeoutMs,
    isRepeatable,
    getAddress: (ending) =>
      session.call<Upload>('GET', path, { signal: ending }, ['uploadId', 'url']),
    transfer: async ({ uploadId, url }, { stop, ...ending }) => {
      await session.outside(url, {
        ...ending,
        isRepeatable,
        init: () => {
          attempt.isOver = true
          attempt = { isOver: false }
          report(0)
          const body = isWhole ? whole : counted(pieces(), bytes, { report, stop, attempt })
          const headers = {
            ...(!isWhole && { 'content-length': String(bytes) }),
            ...(contentType && { 'content-type': contentType }),
          }
          // `duplex` is required with a stream, and is not in every version of the types
          return { method: 'PUT', headers, body, duplex: 'half' } as RequestInit
        },
        read: async (response) => void (await response.arrayBuffer()),
      })
      if (isWhole) report(bytes)
      return uploadId
    },
  })
}

const isBrowser = 'XMLHttpRequest' in globalThis

type Source = {
  bytes: number
  type: string
  pieces: () => AsyncGenerator<Uint8Array>
  /** Absent if the file can be read only once. */
  whole?: NonNullable<RequestInit['body']>
}

function sourceOf(file: FileSource): Source {
  if (file instanceof Uint8Array) {
    const whole = file as Uint8Array<ArrayBuffer>
    return { bytes: file.byteLength, type: '', pieces: () => chunksOf(file), whole }
  }
  if (file instanceof Blob) {
    return { bytes: file.size, type: file.type, pieces: () => readAll(file.stream()), whole: file }
  }
  return { bytes: file.bytes, type: '', pieces: () => readAll(file.stream) }
}

/** A store may answer before it has read the file. A piece that is read later must not disturb the next attempt. */
type Attempt = { isOver: boolean }

type Progress = {
  report: (sentBytes: number) => void
  stop: (reason: unknown) => void
  attempt: Attempt
}

/** Reports what was read. Stops if the file cannot be read or has another length than announced. */
function counted(
  pieces: AsyncGenerator<Uint8Array>,
  bytes: number,
  { report, stop, attempt }: Progress,
): ReadableStream<Uint8Array> {
  let sentBytes = 0
  // not awaited: it waits for a piece that is being read
  const release = () => void pieces.return(undefined).catch(() => {})
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next()
        if (attempt.isOver) throw new TypeError('the attempt is over')
        if (!done) sentBytes += value.byteLength
        if (done ? sentBytes < bytes : sentBytes > bytes) {
          throw new TypeError(`the file is ${done ? 'shorter' : 'longer'} than announced`)
        }
        if (done) return controller.close()
        controller.enqueue(value)
        report(sentBytes)
      } catch (error) {
        if (!attempt.isOver) stop(error)
        release()
        throw error
      }
    },
    cancel: () => {
      attempt.isOver = true
      release()
    },
  })
}

async function* chunksOf(file: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.byteLength; at += chunkBytes) yield file.subarray(at, at + chunkBytes)
}

/** Not every browser can iterate over a stream. */
async function* readAll(
  stream: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (Symbol.asyncIterator in stream) return yield* stream
  const reader = (stream as ReadableStream<Uint8Array>).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

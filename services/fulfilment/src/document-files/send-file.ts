import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { enter, type Semaphore, SemaphoreFull } from '@despatch/composer/semaphore'
import { Problem } from '@despatch/domain/problem'

const retryAfterSeconds = 5
/**
 * A connection that transfers nothing for this time is closed: its caller has gone, or occupies a slot of the semaphore
 * without using it.
 */
const stalledMs = 120_000

type Request = { log: { error(fields: object, message: string): void } }
type Reply = {
  raw: ServerResponse
  type(mediaType: string): unknown
  header(name: string, value: string): unknown
}

/** A file that is generated while it is sent. */
type SentFile = { stream: Readable; mediaType: string; fileName: string; bytes?: number }

/**
 * Prepares a response that is a file, and returns the stream to send. The stream occupies a slot of `semaphore` until
 * it ends or the caller disconnects; then the signal passed to `make` aborts. If the stream fails, the response is cut
 * off. Throws the Problem 'unavailable' and sets Retry-After to 5 seconds if there is no slot for this provider.
 */
export async function sendFile(
  {
    semaphore,
    providerId,
    request,
    reply,
  }: { semaphore: Semaphore; providerId: string; request: Request; reply: Reply },
  make: (signal: AbortSignal) => SentFile,
): Promise<Readable> {
  const leave = await enterFor({ semaphore, providerId }, reply)
  const ended = new AbortController()
  const { stream, mediaType, fileName, bytes } = makeOr(leave, () => make(ended.signal))
  stream.on('close', () => {
    ended.abort()
    leave()
  })
  stream.on('error', (error) => {
    if (!isOfCaller(error, reply))
      request.log.error({ err: error }, 'fulfilment-job.file-broke-off')
  })
  reply.raw.on('close', () => stream.destroy())
  if (reply.raw.closed) stream.destroy()
  reply.raw.setTimeout(stalledMs, () => stream.destroy(new Error('The connection stalled')))
  reply.type(mediaType)
  reply.header('content-disposition', `attachment; filename="${fileName}"`)
  reply.header('cache-control', 'private, no-store')
  if (bytes !== undefined) reply.header('content-length', String(bytes))
  return stream
}

async function enterFor(
  { semaphore, providerId }: { semaphore: Semaphore; providerId: string },
  reply: Reply,
): Promise<() => void> {
  try {
    return await enter(semaphore, { consumerId: providerId, work: 'file' })
  } catch (error) {
    if (!(error instanceof SemaphoreFull)) throw error
    reply.header('retry-after', String(retryAfterSeconds))
    throw new Problem('unavailable', 'Too many files of fulfilment jobs are being sent at present')
  }
}

function makeOr<Made>(leave: () => void, make: () => Made): Made {
  try {
    return make()
  } catch (error) {
    leave()
    throw error
  }
}

function isOfCaller(error: Error, reply: Reply): boolean {
  return error.name === 'AbortError' || (reply.raw.destroyed && !reply.raw.writableFinished)
}

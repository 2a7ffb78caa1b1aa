import { createReadStream } from 'node:fs'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { CommandContext } from '../command-context.ts'
import { Failure } from '../failure.ts'
import { reasonOf } from '../session.ts'

type UploadOptions = {
  path: string
  /** Size of the file when it was inspected. */
  bytes: number
  onSent: (bytes: number) => void
}

const idleMsMax = 60_000

/**
 * Uploads a file to a presigned address. Throws a Failure that never contains the address, because anybody who has it
 * may write.
 */
export async function uploadFile(
  address: string,
  { path, bytes, onSent }: UploadOptions,
): Promise<void> {
  const url = new URL(address)
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method: 'PUT',
    headers: { 'content-length': bytes, 'content-type': 'application/pdf' },
    timeout: idleMsMax,
  })
  const answered = new Promise<number>((resolve, reject) => {
    request.once('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.once('timeout', () => request.destroy(new Error('timeout')))
    request.once('error', reject)
  })
  let sent = 0
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length
      onSent(sent)
      done(null, chunk)
    },
  })
  try {
    const [status] = await Promise.all([
      answered,
      pipeline(createReadStream(path), counting, request),
    ])
    if (status >= 200 && status < 300) return
    throw new Error(`it returns ${status}`)
  } catch (cause) {
    throw new Failure(`the file cannot be uploaded to ${url.host} (${reasonOf(cause)})`, {
      exitCode: 1,
      cause,
    })
  }
}

/** Shows how much of a file has been sent. */
type UploadProgress = { show(bytes: number): void; end(): void }

/** Shows a bar on a terminal and nothing elsewhere, because an upload takes seconds. */
export async function showUpload(
  bytesTotal: number,
  { canDraw, isQuiet }: Pick<CommandContext, 'canDraw'> & { isQuiet: boolean },
): Promise<UploadProgress> {
  if (isQuiet || !canDraw) return { show() {}, end() {} }
  const { default: progress } = await import('cli-progress')
  const bar = new progress.SingleBar(
    {
      format: '{bar} {percentage}% | {value} of {total} bytes | {eta} s left',
      stream: process.stderr,
      hideCursor: true,
      clearOnComplete: true,
    },
    progress.Presets.shades_classic,
  )
  bar.start(Math.max(bytesTotal, 1), 0)
  return { show: (bytes) => bar.update(bytes), end: () => bar.stop() }
}

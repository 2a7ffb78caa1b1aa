import type { Context } from '@20minutes/s3rver'
import S3Error from '@20minutes/s3rver/lib/models/error.js'

const dropMsMax = 10_000

/**
 * Reads and drops what is left of a body that is too large, for ten seconds at most. A client that sends its whole body
 * before it reads the response would otherwise not receive the refusal.
 */
export async function dropRefusedBody({ req }: Context, next: () => Promise<void>): Promise<void> {
  try {
    await next()
  } catch (error) {
    if (error instanceof S3Error && error.code === 'EntityTooLarge') {
      await dropRest(req)
      if (!req.complete) error.headers.connection = 'close'
    }
    throw error
  }
}

async function dropRest(request: Context['req']): Promise<void> {
  if (request.complete || request.destroyed) return
  const ended = Promise.withResolvers<void>()
  const timer = setTimeout(ended.resolve, dropMsMax)
  for (const event of ['end', 'close', 'error']) request.once(event, () => ended.resolve())
  request.resume()
  await ended.promise
  clearTimeout(timer)
}

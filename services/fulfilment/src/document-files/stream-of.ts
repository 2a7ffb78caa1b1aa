import { Readable } from 'node:stream'

/**
 * Returns a stream that produces each piece of text only when it is read, so that memory does not grow with the length.
 */
export function streamOf(pieces: AsyncIterable<string>): Readable {
  return Readable.from(pieces, { highWaterMark: 1 })
}

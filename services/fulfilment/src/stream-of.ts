import { Readable } from 'node:stream'

/** Pieces of text as a stream that makes the next one when it is wanted, whatever the length of the whole. */
export function streamOf(pieces: AsyncIterable<string>): Readable {
  return Readable.from(pieces, { highWaterMark: 1 })
}

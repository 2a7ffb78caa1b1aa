const chunkBytes = 64 * 1024

/** Splits the bytes of a file into the chunks of a stream. */
export function* chunksOf(content: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < content.length; from += chunkBytes) {
    yield content.subarray(from, from + chunkBytes)
  }
}

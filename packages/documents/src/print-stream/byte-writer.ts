/** A growing buffer of bytes. */
export type ByteWriter = {
  readonly length: number
  /** Each character is one byte. */
  text(text: string): void
  bytes(bytes: Uint8Array): void
  /** Returns what was written from a place on, as a view. A write after a `cut` overwrites it. */
  since(place: number): Uint8Array
  /** Discards what was written from a place on. */
  cut(place: number): void
  /** Returns a copy of everything written, with exactly its length. */
  copy(): Uint8Array
}

const firstBytes = 64 * 1024

export function createByteWriter(): ByteWriter {
  let buffer = Buffer.allocUnsafe(firstBytes)
  let length = 0

  function makeRoom(bytes: number): void {
    if (length + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + bytes))
    buffer.copy(larger, 0, 0, length)
    buffer = larger
  }

  return {
    get length() {
      return length
    },
    text: (text) => {
      makeRoom(text.length)
      length += buffer.write(text, length, 'latin1')
    },
    bytes: (bytes) => {
      makeRoom(bytes.length)
      buffer.set(bytes, length)
      length += bytes.length
    },
    since: (place) => buffer.subarray(place, length),
    cut: (place) => {
      length = place
    },
    copy: () => new Uint8Array(buffer.subarray(0, length)),
  }
}

/** Readers allow the largest window, whatever the data say: some writers state a smaller one than they use. */
export const flateWindow = { windowBits: 15 } as const

/** An empty block that is the last one. */
const finalBlock = Buffer.from([0x03, 0x00])
/** Ends what a writer has written so far: all of it can be decoded. */
const flushMark = Buffer.from([0x00, 0x00, 0xff, 0xff])

/**
 * Returns data with a final block. Acrobat and others only flush the last block of a stream: nothing is missing except
 * the mark that it is the last, and the checksum. Data that are cut short are returned unchanged.
 */
export function withFinalBlock(contents: Uint8Array): Uint8Array {
  const isFlushed = flushMark.equals(contents.subarray(-flushMark.length))
  return isFlushed ? Buffer.concat([contents, finalBlock]) : contents
}

export function isTooLong(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
}

export function isCutShort(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR'
}

import { randomFillSync } from 'node:crypto'

const takesPerDraw = 256

/**
 * Returns a function that returns `bytes` random bytes. It draws the bytes of many calls at once, because each draw is
 * a system call. It never returns the same bytes twice. A later draw overwrites them, so use or copy them at once.
 */
export function randomDraw(bytes: number): () => Buffer {
  const drawn = Buffer.alloc(bytes * takesPerDraw)
  let taken = drawn.length
  return () => {
    if (taken === drawn.length) {
      randomFillSync(drawn)
      taken = 0
    }
    const given = drawn.subarray(taken, taken + bytes)
    taken += bytes
    return given
  }
}

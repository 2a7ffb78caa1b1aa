import { randomFillSync } from 'node:crypto'

const takesPerDraw = 256

/**
 * Gives random bytes, so many at a time. They are drawn for many takes at once, since each draw is a call to the system.
 * No bytes are given twice; what is given is overwritten by a later draw, so it has to be used or copied at once.
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

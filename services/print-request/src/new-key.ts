import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

const keyBytes = 16
const keysPerDraw = 256
const drawn = Buffer.alloc(keyBytes * keysPerDraw)
let taken = drawn.length

/**
 * Makes the key of a print job's row: a UUID that begins with the time, so that new rows lie together in the index.
 * Random bytes are drawn for many keys at once, since each draw is a call to the system.
 */
export function newKey(): string {
  if (taken === drawn.length) {
    randomFillSync(drawn)
    taken = 0
  }
  const random = drawn.subarray(taken, taken + keyBytes)
  taken += keyBytes
  return v7({ random })
}

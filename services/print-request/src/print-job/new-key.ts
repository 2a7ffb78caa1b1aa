import { randomDraw } from '@despatch/access/random-draw'
import { v7 } from 'uuid'

const drawKey = randomDraw(16)

/**
 * Returns the key of a print job's row: a UUID that begins with the time, so that new rows are adjacent in the index.
 */
export function newKey(): string {
  return v7({ random: drawKey() })
}

import { hash } from 'node:crypto'

/**
 * Returns a number from 0 to 1 (exclusive end). The same words always yield the same number, so that a restart repeats
 * every decision.
 */
export function chance(...words: readonly (string | number)[]): number {
  return hash('sha256', words.join('|'), 'buffer').readUInt32BE() / 2 ** 32
}

import { createHash } from 'node:crypto'

/** A number from 0 up to 1, always the same for the same words: what it decides is decided again after a restart. */
export function chance(...words: readonly (string | number)[]): number {
  return createHash('sha256').update(words.join('|')).digest().readUInt32BE() / 2 ** 32
}

import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** Two names, and whether they are one name to those who labelled them. */
export type Pair = { a: string; b: string; isSame: boolean }

/** Reads lines `same,a,b`, where `same` is 1 or 0, under a heading. Throws if a line is otherwise. */
export async function readPairs(path: string): Promise<Pair[]> {
  const [, ...lines] = (await readFile(path, 'utf8')).trim().split(/\r?\n/)
  return lines.map((line, index) => {
    const [same, a, b, ...more] = line.split(',')
    if ((same !== '0' && same !== '1') || !a || !b || more.length > 0)
      throw new Error(`${path}: line ${index + 2} is not "same,a,b"`)
    return { a, b, isSame: same === '1' }
  })
}

/** A whole number below `parts` that depends on the two names alone, whichever comes first. */
export function partOf({ a, b }: Pair, parts: number): number {
  const digest = hash('sha256', [a, b].sort().join(' '), 'buffer')
  return digest.readUInt32BE() % parts
}

/** The fifth of the pairs that is never used in a fit. */
export function isHeldOut(pair: Pair): boolean {
  return partOf(pair, 5) === 0
}

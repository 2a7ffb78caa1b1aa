import { createHash } from 'node:crypto'

/** A source of numbers from 0 up to 1 that gives the same row of them for the same seed and name. */
export type Chance = () => number

export function seededChance(seed: number, name: string): Chance {
  let drawn = 0
  return () => {
    drawn += 1
    const digest = createHash('sha256').update(`${seed} ${name} ${drawn}`).digest()
    return digest.readUInt32BE() / 2 ** 32
  }
}

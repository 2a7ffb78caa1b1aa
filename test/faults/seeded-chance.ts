import { hash } from 'node:crypto'

/** A source of random numbers from 0 (inclusive) to 1 (exclusive). The same seed and name produce the same sequence. */
export type Chance = () => number

export function seededChance(seed: number, name: string): Chance {
  let drawn = 0
  return () => {
    drawn += 1
    const digest = hash('sha256', `${seed} ${name} ${drawn}`, 'buffer')
    return digest.readUInt32BE() / 2 ** 32
  }
}

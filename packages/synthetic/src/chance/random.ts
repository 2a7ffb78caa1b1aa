/** Random draws that depend only on the seed and the index of the record. */
export type Random = {
  /** At least 0, less than 1. */
  unit(): number
  /** A whole number from 0 to `limit` - 1; `limit` is at most 2³². */
  below(limit: number): number
  /** Returns true with this probability. */
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
}

/** Enough rounds to make neighbouring indexes independent. */
const warmUpRounds = 12

/**
 * Creates the draws for a sequence of records: `at(index)` starts the draws of one record and ends those of the one
 * before. The generator is sfc32, whose 128 bits of state are set from seed and index.
 */
export function createRandom(seed: number): { at: (index: number) => Random } {
  let a = 0
  let b = 0
  let c = 0
  let counter = 1

  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  const unit = (): number => next() / 2 ** 32
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit)
  const random: Random = {
    unit,
    below,
    chance: (probability) => unit() < probability,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
  }

  return {
    at(index) {
      a = seed | 0
      b = index | 0
      c = Math.floor(seed / 2 ** 32) | 0
      counter = 1 + Math.floor(index / 2 ** 32)
      for (let round = 0; round < warmUpRounds; round++) next()
      return random
    },
  }
}

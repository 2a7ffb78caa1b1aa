import type { Random } from './random.ts'

/**
 * Returns a function that draws from a list by weight, in constant time. Weights must be whole numbers with a sum below
 * one million.
 */
export function createWeighted<T>(
  entries: readonly (readonly [weight: number, value: T])[],
): (random: Random) => T {
  const total = entries.reduce((sum, [weight]) => sum + weight, 0)
  if (!Number.isInteger(total) || total < 1 || total >= 1_000_000) {
    throw new Error(`weights add up to ${total}`)
  }
  const values = entries.map(([, value]) => value)
  const places = new Uint16Array(total)
  let start = 0
  entries.forEach(([weight], index) => {
    places.fill(index, start, start + weight)
    start += weight
  })

  return (random) => values[places[random.below(total)] as number] as T
}

import type { Random } from './random.ts'

/** Draws from a list by weight, in the time of one draw. Weights are whole numbers and add up to less than a million. */
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

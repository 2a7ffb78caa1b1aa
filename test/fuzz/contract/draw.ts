import fc, { type Arbitrary } from 'fast-check'

/**
 * Draws random values. The same seed and index produce the same values, if the same draws are made in the same order.
 */
export type Draw = {
  from<Value>(arbitrary: Arbitrary<Value>): Value
  /** A whole number from 0 (inclusive) to `below` (exclusive). */
  below(below: number): number
  /** True with this probability, in percent. */
  percent(percent: number): boolean
  pick<Each>(from: readonly Each[]): Each
}

export function drawFor(seed: number, index: number): Draw {
  const mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)
  const [generate] = fc.sample(fc.gen(), { seed: mixed, numRuns: 1 })
  const from = <Value>(arbitrary: Arbitrary<Value>): Value => generate!(() => arbitrary)
  const below = (limit: number) => from(fc.noBias(fc.nat({ max: limit - 1 })))
  return {
    from,
    below,
    percent: (percent) => below(100) < percent,
    pick: (values) => values[below(values.length)]!,
  }
}

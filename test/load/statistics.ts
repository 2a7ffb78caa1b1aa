/** The middle of some figures, with the least and the greatest. */
export type Spread = { median: number; min: number; max: number }

export function spread(figures: readonly number[]): Spread {
  const sorted = [...figures].sort((a, b) => a - b)
  return {
    median: percentile(sorted, 50),
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
  }
}

/** The figure below which this share of all lies, between two figures in proportion. They must be sorted. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  if (sorted.length === 0) return Number.NaN
  const position = ((sorted.length - 1) * percent) / 100
  const below = sorted[Math.floor(position)]!
  const above = sorted[Math.ceil(position)]!
  return below + (above - below) * (position - Math.floor(position))
}

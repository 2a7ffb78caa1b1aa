/** The median of some figures, with their minimum and maximum. */
export type Spread = { median: number; min: number; max: number }

export function spread(figures: readonly number[]): Spread {
  const sorted = [...figures].sort((a, b) => a - b)
  return {
    median: percentile(sorted, 50),
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
  }
}

/** Returns the percentile of sorted figures, interpolated linearly, or NaN if there are none. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  if (sorted.length === 0) return Number.NaN
  const position = ((sorted.length - 1) * percent) / 100
  const below = sorted[Math.floor(position)]!
  const above = sorted[Math.ceil(position)]!
  return below + (above - below) * (position - Math.floor(position))
}

/** Returns milliseconds of the clock that all processes of a machine share and that never goes back. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Runs the work. Returns the seconds that it took, and its result. */
export async function timed<Result>(work: () => Promise<Result>): Promise<[number, Result]> {
  const startedAt = performance.now()
  const result = await work()
  return [(performance.now() - startedAt) / 1000, result]
}

/** Upper bounds of the buckets of times to answer, in milliseconds, up to the time limit of an attempt. */
export const answerMsBounds = [
  1, 2, 3, 5, 7, 10, 15, 22, 33, 47, 68, 100, 150, 220, 330, 470, 680, 1_000, 1_500, 2_200, 3_300,
  4_700, 6_800, 10_000, 15_000,
] as const

/** How many times to answer are in the bucket that ends with the bound. */
export type AnswerCount = { boundMs: number; count: number }

/**
 * Estimates the time to answer that a share of the attempts did not exceed. The estimate is the geometric middle of a
 * bucket that ends at most 1.5 times after it begins, so it differs from the exact time by less than a quarter.
 * Returns null if there are no attempts.
 */
export function estimateAnswerMs(counts: readonly AnswerCount[], share: number): number | null {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return null
  const rank = Math.max(1, Math.ceil(share * total))
  const countUpTo = (bound: number) =>
    counts.reduce((sum, { boundMs, count }) => sum + (boundMs <= bound ? count : 0), 0)
  const boundMs = answerMsBounds.find((bound) => countUpTo(bound) >= rank)!
  const shortest = 1 + Math.max(0, ...answerMsBounds.filter((bound) => bound < boundMs))
  return Math.round(Math.sqrt(shortest * boundMs))
}

/**
 * How far a clock that told the time `told` is ahead of ours, in seconds to the millisecond. Nothing when it told none that
 * can be read.
 */
export function clockSkewSeconds(
  told: string | undefined,
  now: Date,
): { clockSkewSeconds?: number } {
  const at = told === undefined ? Number.NaN : Date.parse(told)
  return Number.isNaN(at) ? {} : { clockSkewSeconds: (at - now.getTime()) / 1_000 }
}

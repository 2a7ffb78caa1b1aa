/**
 * Returns how far the clock that showed the time `told` is ahead of ours, in seconds with millisecond precision.
 * Returns an empty object if the time is missing or unreadable.
 */
export function clockSkewSeconds(
  told: string | undefined,
  now: Date,
): { clockSkewSeconds?: number } {
  const at = told === undefined ? Number.NaN : Date.parse(told)
  return Number.isNaN(at) ? {} : { clockSkewSeconds: (at - now.getTime()) / 1_000 }
}

/**
 * Returns by how many seconds, to the millisecond, the caller's clock was ahead of ours when it showed the time
 * `providerTime`.
 * Returns an empty object if that time is missing or unreadable.
 */
export function clockSkewSeconds(
  providerTime: string | undefined,
  now: Date,
): { clockSkewSeconds?: number } {
  const at = providerTime === undefined ? Number.NaN : Date.parse(providerTime)
  return Number.isNaN(at) ? {} : { clockSkewSeconds: (at - now.getTime()) / 1_000 }
}

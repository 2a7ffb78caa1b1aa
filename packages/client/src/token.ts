/** A token is renewed this long before it expires, or after nine tenths of its life if that is later. */
const marginMs = 60_000

/**
 * Returns for how long a JWT should be used, in milliseconds from its issue. Only its own times are compared, because
 * the clock of this machine may be wrong. Infinite if it does not say: the API then answers 401 once it has expired.
 */
export function useTokenForMs(token: string): number {
  try {
    const payload = token.split('.')[1] ?? ''
    const { iat, exp } = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')))
    const lifeMs = (exp - iat) * 1_000
    return lifeMs > 0 ? Math.max(lifeMs - marginMs, lifeMs * 0.9) : Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

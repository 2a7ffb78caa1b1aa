/** How long a sign-in counts as repeated for an operation that requires it. */
const repeatMs = 5 * 60 * 1000

/** Returns until when a sign-in at this time counts as repeated. Exclusive. */
export function repeatedUntil(authenticatedAt: Date): Date {
  return new Date(authenticatedAt.getTime() + repeatMs)
}

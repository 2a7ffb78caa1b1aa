const effort = process.env.TEST_EFFORT ?? 'landing'
if (effort !== 'landing' && effort !== 'full') {
  throw new Error(`TEST_EFFORT is ${effort}: it must be landing or full`)
}

/**
 * Returns how much a test tries, such as the number of random cases: few in the landing loop, and many in the full one.
 * The landing loop is the default.
 */
export function byEffort<T>(amounts: { landing: T; full: T }): T {
  return amounts[effort as keyof typeof amounts]
}

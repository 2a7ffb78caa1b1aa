const effort = process.env.TEST_EFFORT ?? 'landing'
if (effort !== 'least' && effort !== 'landing' && effort !== 'full') {
  throw new Error(`TEST_EFFORT is ${effort}: it must be least, landing or full`)
}

/**
 * Returns how much a test tries, such as the number of random cases: few in the landing loop, and many in the full one.
 * The landing loop is the default. The least effort is a tenth of its numbers, for tests that run once for each mutant.
 */
export function byEffort<T>(amounts: { landing: T; full: T }): T {
  if (effort !== 'least') return amounts[effort as keyof typeof amounts]
  const { landing } = amounts
  return typeof landing === 'number' ? (Math.ceil(landing / 10) as T) : landing
}

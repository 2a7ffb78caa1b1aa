export type TimeShare = {
  /** Something begins that shares the time. Returns a function that ends it and returns its part, in milliseconds. */
  begin(): () => number
}

/**
 * Shares the time out in equal parts among whatever runs at once. So the parts of all add up to the time in which
 * anything ran, and what something took does not grow with what ran beside it.
 */
export function createTimeShare(now: () => number = () => performance.now()): TimeShare {
  let running = 0
  /** The part that something would have if it had run from the beginning. */
  let shareMs = 0
  let untilMs = now()

  function advance(): number {
    const atMs = now()
    if (running > 0) shareMs += (atMs - untilMs) / running
    untilMs = atMs
    return shareMs
  }

  return {
    begin: () => {
      const fromMs = advance()
      running += 1
      return () => {
        const partMs = advance() - fromMs
        running -= 1
        return partMs
      }
    },
  }
}

/** The calls of one minute. Minutes are counted from the epoch. */
export type CallTally = { minute: number; calls: number; failures: number }

/** The health of an origin. `minutes` has at most the last five. */
export type OriginHealth = {
  breaker: 'closed' | 'open' | 'half-open'
  /** Open: no call is made until then. Half-open: the probe counts as lost after then. Null when closed. */
  breakerUntil: Date | null
  failuresInRow: number
  minutes: readonly CallTally[]
}

/** A token bucket that limits the calls per second to an origin: the calls that are allowed at once, as of `at`. */
export type RateBucket = { tokens: number; at: Date }

/** Calls of one minute, counted from the epoch. */
export type CallTally = { minute: number; calls: number; failures: number }

/** What is known of the place that callbacks go to. `minutes` holds the last five at most. */
export type OriginHealth = {
  breaker: 'closed' | 'open' | 'half-open'
  /** Open: until when no call is made. Half-open: until when the probe counts as lost. Null when closed. */
  breakerUntil: Date | null
  failuresInRow: number
  minutes: readonly CallTally[]
}

/** Calls that an origin may be given at once, as of `at`: its rate is a bucket that fills again. */
export type RateBucket = { tokens: number; at: Date }

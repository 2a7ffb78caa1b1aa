/**
 * Durations of the scripted events. Use shorter ones for a client that is tested often, and longer ones for a client
 * that polls rarely.
 */
export type Pace = {
  /** Retry-After of 503 and 429: a whole number, at least 1. */
  retryAfterSeconds: number
  /** Length of a lease in a case that lets it expire: from a claim until the run is offered again. */
  leaseSeconds: number
  /** From the request for a reprint to its authorisation. */
  authorisationSeconds: number
  /** How long a case continues after everything is shown, to catch surplus calls. */
  settleSeconds: number
  /** The most polls within any one second. */
  pollsPerSecondMax: number
  /** The longest duration of a case. */
  timeoutSeconds: number
}

export const standardPace: Pace = {
  retryAfterSeconds: 2,
  leaseSeconds: 10,
  authorisationSeconds: 5,
  settleSeconds: 2,
  pollsPerSecondMax: 10,
  timeoutSeconds: 120,
}

/** How long the scripted things take. Shorter for a client that is tested often, longer for one that asks rarely. */
export type Pace = {
  /** Told with 503 and 429; a whole number, at least 1. */
  retryAfterSeconds: number
  /** From a claim to the moment when the run is offered again, where a case lets the lease run out. */
  leaseSeconds: number
  /** From the request for a reprint to its authorisation. */
  authorisationSeconds: number
  /** From the moment when all is shown to the end of the case: what comes too much comes in this time. */
  settleSeconds: number
  /** Calls that only ask whether there is something, in any one second. */
  pollsPerSecondMax: number
  /** How long a case takes at most. */
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

import type { Problem } from '../problem.ts'

/**
 * A limit of `requests` in each window of `seconds` seconds. Windows begin at whole multiples of their length, UTC. With
 * the unit `kibibytes` it limits the bodies of requests instead of their number.
 */
export type UsageWindow = {
  name: string
  requests: number
  seconds: number
  unit?: 'kibibytes'
}

/** The limit that a refused request exceeded. `store`: the request could not be counted. */
export type UsageRefusalReason = 'rate' | 'day' | 'bytes' | 'overall' | 'store'

/** The decision about one request, and what its caller may know. */
export type UsageDecision = {
  /** Every window that applies to the caller. */
  windows: readonly UsageWindow[]
  /** For the windows that matter now: the remaining requests, and the seconds until the window ends. */
  left: readonly UsageWindow[]
  /** `reason` names the exceeded limit, for the log and for metrics. */
  refusal?: { reason: UsageRefusalReason; problem: Problem; retryAfterSeconds: number }
}

import type { Problem } from '../problem.ts'

/** So many requests in each window of so many seconds. Windows begin at whole multiples of their length, UTC. */
export type UsageWindow = { name: string; requests: number; seconds: number }

/** What a refused request exceeded; `store`: it could not be counted. */
export type UsageRefusalReason = 'rate' | 'day' | 'overall' | 'store'

/** What was decided about one request, and what its caller may be told. */
export type UsageDecision = {
  /** Every window that binds the caller. */
  windows: readonly UsageWindow[]
  /** The requests that are left, and the seconds until the window ends, for the windows that matter now. */
  left: readonly UsageWindow[]
  /** `reason` names what was exceeded, for the log and for metrics. */
  refusal?: { reason: UsageRefusalReason; problem: Problem; retryAfterSeconds: number }
}

const firstPauseMs = 200
const pauseMsMax = 30_000
/** A longer Retry-After is not waited for: the caller gets the error at once. */
export const retryAfterSecondsMax = 60

/** What is known of an attempt that failed. No status: there was no answer. */
export type FailedAttempt = { status?: number | undefined; retryAfterSeconds?: number | undefined }

/**
 * Returns whether a repeat may succeed and cannot do harm. A request that was refused for its rate (429) was not carried
 * out, so anything may be repeated. After no answer or a fault of the server, it may have been carried out.
 */
export function mayRepeat(
  { status, retryAfterSeconds = 0 }: FailedAttempt,
  isRepeatable: boolean,
): boolean {
  if (retryAfterSeconds > retryAfterSecondsMax) return false
  if (status === 429) return true
  return isRepeatable && mayHaveTakenEffect(status)
}

/** Returns whether a request may have been carried out, from the status of its answer. */
export function mayHaveTakenEffect(status: number | undefined): boolean {
  return status === undefined || status === 408 || status >= 500
}

/**
 * Returns the pause after an attempt, from 1: a fifth of a second, doubled each time up to half a minute. Up to half of it is
 * taken off by chance, so that clients do not come back together. Never shorter than Retry-After.
 */
export function pauseMsAfter(
  { retryAfterSeconds = 0 }: FailedAttempt,
  attempt: number,
  chance: number,
): number {
  const longestMs = Math.min(firstPauseMs * 2 ** (attempt - 1), pauseMsMax)
  return Math.max(longestMs * (1 - chance / 2), retryAfterSeconds * 1_000)
}

/** Reads Retry-After: seconds or a date. Undefined if it is absent or neither. */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined
  if (/^\d{1,9}$/.test(value.trim())) return Number(value)
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1_000))
}

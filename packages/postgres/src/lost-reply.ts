import { setTimeout as pause } from 'node:timers/promises'
import {
  DependencyUnavailable,
  unavailableDependency,
} from '@despatch/domain/outage/unavailable-dependency'

/**
 * How long to look for the outcome of a write whose reply was lost, in milliseconds. This is longer than the server
 * needs to notice that a client has disconnected during a transaction (10 s), and longer than most restarts.
 */
const lostReplyDeadlineMs = 20_000
const firstPauseMs = 50
const longestPauseMs = 1_000

/** True if the database did not answer, so that a write that was sent may or may not be committed. */
export function isReplyLost(error: unknown): boolean {
  if (unavailableDependency(error) !== 'database') return false
  const { code } = error as { code?: unknown }
  return !knownOutcomes.test(String(code))
}

/**
 * Error codes of a connection that was never made, and SQLSTATEs with which the server refuses a statement. Nothing is
 * committed.
 */
const knownOutcomes =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08001|53...|58...|57P03|25006)$/

/**
 * Sends a statement, and retries it until the database answers if the reply is lost. Use it only for reads, and for writes
 * that have no effect the second time and return the same answer, because they recognise their own row by a key. If the first try
 * never reached the database, it fails at once. Throws DependencyUnavailable if there is no answer by the deadline.
 */
export async function repeatLost<Result>(statement: () => Promise<Result>): Promise<Result> {
  try {
    return await statement()
  } catch (error) {
    if (!isReplyLost(error)) throw error
    return untilAnswered(statement, error)
  }
}

/**
 * Asks the database until it answers; `undefined` counts as no answer. The pauses grow, so as not to overload a
 * database that is restarting. Throws DependencyUnavailable with the original fault if there is no answer by the
 * deadline.
 */
export async function untilAnswered<Answer>(
  ask: () => Promise<Answer | undefined>,
  fault: unknown,
  { deadlineMs = lostReplyDeadlineMs } = {},
): Promise<Answer> {
  const deadline = performance.now() + deadlineMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      const answer = await ask()
      if (answer !== undefined) return answer
    } catch (error) {
      if (unavailableDependency(error) !== 'database') throw error
    }
    if (performance.now() + pauseMs > deadline) {
      throw new DependencyUnavailable('database', { cause: fault })
    }
    await pause(pauseMs)
  }
}

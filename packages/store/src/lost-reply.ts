import { setTimeout as pause } from 'node:timers/promises'
import {
  DependencyUnavailable,
  unavailableDependency,
} from '@despatch/domain/outage/unavailable-dependency'

/**
 * How long to look for the outcome of a write whose reply was lost, in milliseconds. Longer than the server needs to notice
 * a client that is gone in the middle of a transaction (10 s), and than most restarts.
 */
export const lostReplyDeadlineMs = 20_000
const firstPauseMs = 50
const longestPauseMs = 1_000

/** True when the database did not answer, so that a write that was sent may be committed or not. */
export function isReplyLost(error: unknown): boolean {
  if (unavailableDependency(error) !== 'database') return false
  const { code } = error as { code?: unknown }
  return !knownOutcomes.test(String(code))
}

/** Codes of a connection that never was, and SQLSTATEs with which the server refuses a statement: nothing is committed. */
const knownOutcomes =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|53...|58...|57P03|25006)$/

/**
 * Sends a write that may be repeated, and again when its reply is lost, until the database answers. Only for a statement
 * that changes nothing the second time and then answers as the first time: it knows its own row by a key. A first try that
 * never reached the database fails at once. Throws DependencyUnavailable when there is no answer by the deadline.
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
 * Asks the database until it answers; `undefined` is no answer. The pauses grow, so that a database that restarts is not
 * stormed. Throws DependencyUnavailable with the fault that began it when there is no answer by the deadline.
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

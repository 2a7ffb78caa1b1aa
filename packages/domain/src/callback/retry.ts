import type { RetryParams } from '../print-job/params.ts'
import type { CallbackEndReason } from './callback-state.ts'

/** The result of one try to deliver a callback. */
export type AttemptResult =
  /** The consumer answered with an HTTP status. */
  | { kind: 'answered'; httpStatus: number; retryAfterSeconds?: number | undefined }
  /** No connection was made, so the consumer has seen nothing. */
  | { kind: 'unreached' }
  /** The request may have arrived; the answer did not. */
  | { kind: 'unknown' }
  /**
   * The print job's callback params can never be called: a forbidden target, or credentials that are not a valid
   * header.
   */
  | { kind: 'unsendable' }
  /** A fault of ours: the database, our name resolver, our limits. Uses up no attempt. */
  | { kind: 'fault' }

export type NextStep =
  | { kind: 'delivered' }
  | { kind: 'retry'; at: Date }
  /** Retried without using up an attempt. */
  | { kind: 'postpone'; at: Date }
  /** 'gone' ends the other callbacks of the print job too. */
  | { kind: 'abandon'; reason: CallbackEndReason }

export type AttemptFacts = {
  result: AttemptResult
  retryParams: RetryParams | undefined
  /** The number of attempts of this round, including this one. */
  attempts: number
  /** The beginning of the round: when the callback became owed or, for a replay, when the replay was requested. */
  owedSince: Date
  /** The first attempt of this round. */
  firstAttemptAt: Date
  finishedAt: Date
  /** At least 0 and less than 1. */
  random: number
}

/** Spec: maxRetryWindow is optional. The default length is ours. */
const defaultRetryWindowSeconds = 10_800
const firstDelaySeconds = 1
const longestDelaySeconds = { min: 5, max: 3_600 }
const jitter = 0.2
const faultDelaySeconds = 10
const faultsTakenAsOursSeconds = 86_400
/** 4xx statuses that mean "later", not "no". */
export const retriedRefusals = [408, 425, 429]

/**
 * Decides what follows one try. Spec: failed callbacks are retried, when retries are enabled, with exponential backoff
 * within maxRetryWindow seconds. The window begins with the first attempt. No attempt is planned past its end, and the
 * last one is planned exactly there. If an attempt is still in progress at that time, that attempt was the last.
 */
export function planNextAttempt(facts: AttemptFacts): NextStep {
  const { result, retryParams } = facts
  if (result.kind === 'fault' && isTakenAsOurs(facts)) {
    return { kind: 'postpone', at: later(facts.finishedAt, faultDelaySeconds) }
  }
  if (result.kind === 'unsendable') return { kind: 'abandon', reason: 'unsendable' }
  if (result.kind === 'answered') {
    const { httpStatus } = result
    if (httpStatus >= 200 && httpStatus < 300) return { kind: 'delivered' }
    if (httpStatus === 410) return { kind: 'abandon', reason: 'gone' }
    const isRefused = httpStatus >= 400 && httpStatus < 500
    if (isRefused && !retriedRefusals.includes(httpStatus)) {
      return { kind: 'abandon', reason: 'refused' }
    }
  }
  const end = windowEndOf(retryParams, facts.firstAttemptAt)
  if (!end) return { kind: 'abandon', reason: 'retries-off' }
  if (facts.finishedAt >= end) return { kind: 'abandon', reason: 'window-ended' }
  return { kind: 'retry', at: planRetry(facts, end) }
}

/**
 * Returns when the last attempt of a round is made, from the time of its first attempt. Returns null if there is only
 * one attempt.
 */
export function windowEndOf(
  retryParams: RetryParams | undefined,
  firstAttemptAt: Date,
): Date | null {
  return retryParams?.enabled ? later(firstAttemptAt, windowSeconds(retryParams)) : null
}

function windowSeconds(retryParams: RetryParams | undefined): number {
  if (!retryParams?.enabled) return 0
  return retryParams.maxRetryWindow ?? defaultRetryWindowSeconds
}

function planRetry({ result, retryParams, attempts, finishedAt, random }: AttemptFacts, end: Date) {
  const { min, max } = longestDelaySeconds
  const longest = Math.min(Math.max(windowSeconds(retryParams) / 8, min), max)
  const planned = Math.min(firstDelaySeconds * 2 ** (attempts - 1), longest) * jitterFactor(random)
  // only an answer has it
  const { retryAfterSeconds = 0 } = result as { retryAfterSeconds?: number }
  const left = (end.getTime() - finishedAt.getTime()) / 1000
  const delay = Math.max(planned, retryAfterSeconds)
  // An attempt that is closer to the last one than the shortest delay would add nothing, so only the last one is
  // planned.
  return left - delay < firstDelaySeconds ? end : later(finishedAt, delay)
}

function jitterFactor(random: number): number {
  return 1 + jitter * (2 * random - 1)
}

// A name that cannot be resolved for a day is a problem of the consumer, not of our resolver.
function isTakenAsOurs({ owedSince, finishedAt, retryParams }: AttemptFacts): boolean {
  const limit = faultsTakenAsOursSeconds + windowSeconds(retryParams)
  return finishedAt < later(owedSince, limit)
}

function later(at: Date, seconds: number): Date {
  return new Date(at.getTime() + Math.round(seconds * 1000))
}

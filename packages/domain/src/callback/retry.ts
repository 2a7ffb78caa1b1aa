import type { RetryParams } from '../print-job/params.ts'

/** What came of one try to deliver a callback. */
export type AttemptResult =
  /** The consumer answered with an HTTP status. */
  | { kind: 'answered'; httpStatus: number; retryAfterSeconds?: number | undefined }
  /** No connection was made, so the consumer has seen nothing. */
  | { kind: 'unreached' }
  /** The request may have arrived; the answer did not. */
  | { kind: 'unknown' }
  /** The print job's own callback params can never be called: a forbidden target, a header that is none. */
  | { kind: 'unsendable' }
  /** Our own trouble: the database, our name resolver, our limits. Uses up no attempt. */
  | { kind: 'fault' }

export type NextStep =
  | { kind: 'delivered' }
  | { kind: 'retry'; at: Date }
  /** Tried again without having used up an attempt. */
  | { kind: 'postpone'; at: Date }
  /** 'gone' ends the other callbacks of the print job too. */
  | { kind: 'abandon'; reason: AbandonReason }
export type AbandonReason = 'gone' | 'refused' | 'unsendable' | 'retries-off' | 'window-ended'

export type AttemptFacts = {
  result: AttemptResult
  retryParams: RetryParams | undefined
  /** How many attempts have been made, this one included. */
  attempts: number
  createdAt: Date
  firstAttemptAt: Date
  finishedAt: Date
  /** At least 0 and less than 1. */
  random: number
}

/** Spec: maxRetryWindow is optional; its length when absent is ours. */
export const defaultRetryWindowSeconds = 10_800
const firstDelaySeconds = 1
const longestDelaySeconds = { min: 5, max: 3_600 }
const jitter = 0.2
const faultDelaySeconds = 10
const faultsTakenAsOursSeconds = 86_400
const retriedRefusals = [408, 425, 429]

/**
 * Decides what follows one try. Spec: failed callbacks are retried, when retries are enabled, with exponential
 * backoff within maxRetryWindow seconds. The window counts from the first attempt; no attempt is planned past its
 * end, and the last one exactly there, unless an attempt is still under way at that moment: then that was the last.
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
  if (!retryParams?.enabled) return { kind: 'abandon', reason: 'retries-off' }
  const end = later(facts.firstAttemptAt, windowSeconds(retryParams))
  if (facts.finishedAt >= end) return { kind: 'abandon', reason: 'window-ended' }
  return { kind: 'retry', at: planRetry(facts, end) }
}

/**
 * When to come back to a callback whose consumer has too many calls under way: after the delay, yet not past the
 * end of its window while that is ahead, since the last attempt is owed at the end.
 */
export function planPostponement(facts: {
  retryParams: RetryParams | undefined
  firstAttemptAt: Date | undefined
  now: Date
  delaySeconds: number
}): Date {
  const { retryParams, firstAttemptAt, now, delaySeconds } = facts
  const at = later(now, delaySeconds)
  if (!firstAttemptAt || !retryParams?.enabled) return at
  const end = later(firstAttemptAt, windowSeconds(retryParams))
  return end > now && end < at ? end : at
}

function windowSeconds(retryParams: RetryParams | undefined): number {
  if (!retryParams?.enabled) return 0
  return retryParams.maxRetryWindow ?? defaultRetryWindowSeconds
}

function planRetry({ result, retryParams, attempts, finishedAt, random }: AttemptFacts, end: Date) {
  const { min, max } = longestDelaySeconds
  const longest = Math.min(Math.max(windowSeconds(retryParams) / 8, min), max)
  const planned = Math.min(firstDelaySeconds * 2 ** (attempts - 1), longest) * jitterFactor(random)
  const asked = (result.kind === 'answered' && result.retryAfterSeconds) || 0
  const left = (end.getTime() - finishedAt.getTime()) / 1000
  const delay = Math.min(Math.max(planned, asked), left)
  // Two attempts closer together than the shortest delay say no more than one.
  return left - delay < firstDelaySeconds ? end : later(finishedAt, delay)
}

function jitterFactor(random: number): number {
  return 1 + jitter * (2 * random - 1)
}

// A name that cannot be resolved for a day is the consumer's trouble, not our resolver's.
function isTakenAsOurs({ createdAt, finishedAt, retryParams }: AttemptFacts): boolean {
  const limit = faultsTakenAsOursSeconds + windowSeconds(retryParams)
  return finishedAt < later(createdAt, limit)
}

function later(at: Date, seconds: number): Date {
  return new Date(at.getTime() + Math.round(seconds * 1000))
}

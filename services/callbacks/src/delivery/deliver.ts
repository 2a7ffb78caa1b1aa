import { setTimeout as pause } from 'node:timers/promises'
import type { AttemptOutcome } from '@despatch/domain/callback/attempt-outcome'
import { countsForOrigin, isFailureOfOrigin } from '@despatch/domain/callback/breaker'
import type { CallbackDestination } from '@despatch/domain/callback/destination'
import type { CallDecision, RefusalReason } from '@despatch/domain/callback/may-call'
import { redactAnswer } from '@despatch/domain/callback/redact'
import { type NextStep, planNextAttempt, windowEndOf } from '@despatch/domain/callback/retry'
import type { TakenCallback } from '@despatch/store/callback/lease'
import type { CallbackAttempt, CallbackRecord } from '@despatch/store/callback/record'
import type { Logger } from '@despatch/telemetry/logger'
import type { TraceSpan, Tracing } from '@despatch/telemetry/tracing'
import type { Outbound } from '../outbound/outbound.ts'
import type { OutboundAnswer } from '../outbound/outbound-attempt.ts'
import type { CallbackMetrics } from './callback-metrics.ts'
import type { TurnOfCall } from './delivery-loop.ts'
import { credentialsIn, type OpenDestination } from './destination.ts'
import { renderHeaders } from './headers.ts'
import type { OriginCall } from './origin-calls.ts'
import type { SecretsOf } from './signing.ts'
import { endAttemptSpan, startAttemptSpan } from './trace-attempt.ts'

export type DeliverContext = {
  outbound: Outbound
  /** Decides whether a target may be called at all. */
  mayCall: (target: string) => CallDecision
  openDestination: OpenDestination
  secretsOf: SecretsOf
  /** Logs a delivery unless tracing is on. Returns false if another process has taken the callback meanwhile. */
  record: (record: CallbackRecord) => Promise<boolean>
  noteCall: (call: OriginCall) => void
  leaseMs: number
  /** The longest that a call may take. The rest of the lease is for preparing the call and recording its result. */
  callMsMax: number
  random: () => number
  metrics: CallbackMetrics
  log: Logger
  tracing: Tracing
}

type LeasedCallback = {
  callback: TakenCallback
  turn: TurnOfCall
  span: TraceSpan
}

/** The result of an attempt. Without `startedAt` no call was made. */
type Ending = OutboundAnswer & { startedAt?: Date; destination?: CallbackDestination }

/**
 * Makes one attempt at a callback, and records its result and the
 * next step. A crash before the end repeats the attempt with the same id and the same bytes. Rejects if the lease
 * expires before anything could be recorded.
 */
export async function deliver(
  context: DeliverContext,
  callback: TakenCallback,
  turn: TurnOfCall,
): Promise<void> {
  const span = startAttemptSpan(context.tracing, callback)
  const leased = { callback, turn, span }
  try {
    await span.run(async () => finish(context, leased, await attempt(context, leased)))
  } catch (error) {
    span.end('fault')
    throw error
  }
}

async function attempt(context: DeliverContext, leased: LeasedCallback): Promise<Ending> {
  const { callback } = leased
  const destination = unseal(context, callback)
  if (!destination) return ourFault('unseal', 'unsendable')
  const secrets = await context.secretsOf(callback.consumerId).catch(() => undefined)
  if (!secrets) return ourFault('secrets', 'unsendable')
  const decision = context.mayCall(destination.target)
  if (decision.kind === 'refuse') return unsendable(decision.reason, nowOf(leased))
  // This process may have been frozen for so long that the lease could expire during the call. Another process could
  // then call at the same time.
  if (elapsedMs(leased) + context.callMsMax > context.leaseMs) return ourFault('late', 'timeout')
  const startedAt = nowOf(leased)
  context.metrics.started(startedAt.getTime() - callback.plannedAt.getTime())
  const { authenticationHeader } = destination
  const headers = renderHeaders(callback, {
    authenticationHeader,
    secrets,
    at: startedAt,
    traceContext: leased.span.traceparent ?? callback.traceContext,
  })
  const { origin, path } = decision
  const { consumerId, body } = callback
  const answer = await context.outbound.post({ consumerId, origin, path, headers, body })
  return { ...answer, startedAt, destination }
}

/** Returns undefined if no key unseals the destination. */
function unseal(
  { openDestination }: DeliverContext,
  callback: TakenCallback,
): CallbackDestination | undefined {
  try {
    return openDestination(callback)
  } catch {
    return undefined
  }
}

/**
 * A fault of ours uses up no attempt. `outcome` is recorded for the attempt if the fault lasts so long that it no
 * longer counts as ours.
 */
function ourFault(failure: string, outcome: AttemptOutcome): Ending {
  return { result: { kind: 'fault' }, outcome, failure }
}

function unsendable(reason: RefusalReason, startedAt: Date): Ending {
  return {
    result: { kind: 'unsendable' },
    outcome: 'unsendable',
    failure: `target ${reason}`,
    startedAt,
  }
}

async function finish(
  context: DeliverContext,
  leased: LeasedCallback,
  ending: Ending,
): Promise<void> {
  const { callback } = leased
  const { id, epoch, attempts, attemptsBefore, retryParams, owedSince } = callback
  const { result, startedAt } = ending
  leased.turn.answered(isFailureOfOrigin(result))
  const finishedAt = nowOf(leased)
  const firstAttemptAt = callback.firstAttemptAt ?? startedAt ?? finishedAt
  const next = planNextAttempt({
    result,
    retryParams,
    attempts: attempts - attemptsBefore + 1,
    owedSince,
    firstAttemptAt,
    finishedAt,
    random: context.random(),
  })
  const made = next.kind === 'postpone' ? undefined : toAttempt(leased, ending, finishedAt)
  const windowEndsAt = made ? windowEndOf(retryParams, firstAttemptAt) : callback.windowEndsAt
  const record = { id, epoch, next, windowEndsAt, ...(made && { attempt: made }) }
  const isRecorded = await recordWithinLease(context, leased, record)
  if (made && countsForOrigin(ending)) {
    const { outcome } = ending
    const isFailure = isFailureOfOrigin(result)
    context.noteCall({ origin: callback.origin, at: finishedAt, outcome, isFailure })
  }
  observe(context, callback, { made, ending, next, isRecorded })
  endAttemptSpan(leased.span, { made, next: isRecorded ? next.kind : 'overtaken' })
}

function toAttempt(leased: LeasedCallback, ending: Ending, finishedAt: Date): CallbackAttempt {
  const { callback } = leased
  const { result, outcome, failure, address, body, startedAt = finishedAt } = ending
  return {
    number: callback.attempts + 1,
    plannedAt: callback.plannedAt,
    startedAt,
    durationMs: finishedAt.getTime() - startedAt.getTime(),
    outcome,
    ...(result.kind === 'answered' && { httpStatus: result.httpStatus }),
    ...(address !== undefined && { address }),
    ...(body && { answer: redactAnswer(body, credentialsIn(ending.destination)) }),
    ...(failure !== undefined && { failure }),
  }
}

const recordPauseMs = 500

// The consumer has the callback by now. A short outage of the database must not cause a second delivery.
async function recordWithinLease(
  { record, leaseMs }: DeliverContext,
  leased: LeasedCallback,
  entry: CallbackRecord,
): Promise<boolean> {
  for (;;) {
    try {
      return await record(entry)
    } catch (error) {
      if (elapsedMs(leased) + recordPauseMs > leaseMs) throw error
      await pause(recordPauseMs)
    }
  }
}

type AttemptReport = {
  made: CallbackAttempt | undefined
  ending: Ending
  next: NextStep
  isRecorded: boolean
}

function observe(
  { log, metrics, tracing }: DeliverContext,
  { id, printJobKey, sequence }: TakenCallback,
  { made, ending, next, isRecorded }: AttemptReport,
): void {
  metrics.ended({
    outcome: made?.outcome ?? 'postponed',
    isAmbiguous: made !== undefined && ending.result.kind === 'unknown',
    durationMs: made?.durationMs,
  })
  // Deliveries are logged together, except that only a line of its own can name the trace.
  if (next.kind === 'delivered' && isRecorded && !tracing.isOn) return
  log.info(
    {
      callbackId: id,
      printJobKey,
      sequence,
      attempt: made?.number,
      outcome: made?.outcome,
      httpStatus: made?.httpStatus,
      failure: ending.failure,
      durationMs: made?.durationMs,
      next: isRecorded ? next.kind : 'overtaken',
      reason: next.kind === 'abandon' ? next.reason : undefined,
    },
    made ? 'callback.attempted' : 'callback.not-attempted',
  )
}

function elapsedMs({ turn }: LeasedCallback): number {
  return performance.now() - turn.requestedAt
}

/**
 * Returns the database's time: the last one received, plus the time since then. This machine's own clock may be wrong.
 */
function nowOf({ callback, turn }: LeasedCallback): Date {
  return new Date(callback.takenAt.getTime() + Math.round(performance.now() - turn.heardAt))
}

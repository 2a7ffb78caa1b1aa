import { setTimeout as pause } from 'node:timers/promises'
import { type NextStep, planNextAttempt, planPostponement } from '@despatch/domain/callback/retry'
import type {
  CallbackAttempt,
  CallbackRecord,
  TakenCallback,
} from '@despatch/store/callback/callbacks'
import type { Logger } from '@despatch/telemetry/logger'
import type { CallbackCommits } from './callback-commits.ts'
import type { CallbackMetrics } from './callback-metrics.ts'
import { type AllowedRange, mayCall } from './may-call.ts'
import type { OriginSlots } from './origin-slots.ts'
import type { Outbound, OutboundAnswer } from './outbound.ts'

export type DeliverContext = {
  commits: CallbackCommits
  outbound: Outbound
  slots: OriginSlots
  allowed: readonly AllowedRange[]
  unseal: (sealed: Buffer) => string
  leaseMs: number
  /** What a call may take; the rest of the lease is for everything else. */
  callMsMax: number
  random: () => number
  metrics: CallbackMetrics
  log: Logger
}

/**
 * Makes one attempt at a callback, and writes what came of it and what follows. A task for a callback that has ended,
 * is not due or is held elsewhere does nothing. A crash before the end repeats the attempt: same id, same bytes.
 */
export async function deliver(context: DeliverContext, id: string): Promise<void> {
  const callback = await context.commits.take(id)
  if (!callback) return
  const clock = databaseClock(callback.takenAt)
  if (callback.isGone) {
    await finish(context, clock, callback, { next: { kind: 'abandon', reason: 'gone' } })
    return
  }
  const decision = mayCall(callback.callbackParams.target, context.allowed)
  if (decision.kind === 'refuse') {
    const answer = { result: { kind: 'unsendable' }, failure: `target ${decision.reason}` } as const
    await finishAttempt(context, clock, callback, clock.now(), answer)
    return
  }
  const admission = await context.slots.enter(decision.origin)
  if (admission.kind === 'busy') {
    const at = postponedTo(callback, clock.now(), admission.delayMs)
    await finish(context, clock, callback, { next: { kind: 'postpone', at } })
    return
  }
  // A worker that was frozen for long may be late enough for another to call at the same time.
  if (clock.elapsedMs() + context.callMsMax > context.leaseMs) {
    admission.leave()
    return
  }
  const startedAt = clock.now()
  const answer = await call(context, callback, decision).finally(admission.leave)
  await finishAttempt(context, clock, callback, startedAt, answer)
}

async function call(
  { outbound, unseal }: DeliverContext,
  callback: TakenCallback,
  { origin, path }: { origin: string; path: string },
): Promise<OutboundAnswer> {
  const { id, body, authenticationSealed, correlationId } = callback
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'despatch-callbacks',
    'webhook-id': id,
    'x-correlation-id': correlationId,
  }
  try {
    if (authenticationSealed) headers.authorization = unseal(authenticationSealed)
  } catch {
    return { result: { kind: 'fault' }, failure: 'unseal' }
  }
  return outbound.post({ origin, path, headers, body })
}

async function finishAttempt(
  context: DeliverContext,
  clock: DatabaseClock,
  callback: TakenCallback,
  startedAt: Date,
  { result, failure }: OutboundAnswer,
): Promise<void> {
  const finishedAt = clock.now()
  const number = callback.attempts + 1
  const next = planNextAttempt({
    result,
    retryParams: callback.callbackParams.retryParams,
    attempts: number,
    createdAt: callback.createdAt,
    firstAttemptAt: callback.firstAttemptAt ?? startedAt,
    finishedAt,
    random: context.random(),
  })
  const attempt: CallbackAttempt = {
    number,
    plannedAt: callback.plannedAt,
    startedAt,
    durationMs: finishedAt.getTime() - startedAt.getTime(),
    outcome: next.kind === 'delivered' ? 'delivered' : result.kind,
    ...(result.kind === 'answered' && { httpStatus: result.httpStatus }),
  }
  await finish(context, clock, callback, {
    next,
    ...(next.kind !== 'postpone' && { attempt }),
    failure,
  })
}

type Ending = { next: NextStep; attempt?: CallbackAttempt; failure?: string | undefined }

async function finish(
  context: DeliverContext,
  clock: DatabaseClock,
  { id, epoch, printJobKey, sequence }: TakenCallback,
  { next, attempt, failure }: Ending,
): Promise<void> {
  const { log, metrics } = context
  const isRecorded = await recordWithinLease(context, clock, { id, epoch, attempt, next })
  const { number, outcome, httpStatus, durationMs } = attempt ?? {}
  metrics.observe({ outcome: outcome ?? next.kind, durationMs })
  log.info(
    {
      callbackId: id,
      printJobKey,
      sequence,
      attempt: number,
      outcome,
      httpStatus,
      failure,
      durationMs,
      next: isRecorded ? next.kind : 'overtaken',
      ...(next.kind === 'abandon' && { reason: next.reason }),
    },
    attempt ? 'callback.attempted' : 'callback.not-attempted',
  )
}

const recordPauseMs = 500

// The consumer has the callback by now: a database that is away for a moment must not make it a repeat.
async function recordWithinLease(
  { commits, leaseMs }: DeliverContext,
  clock: DatabaseClock,
  record: CallbackRecord,
): Promise<boolean> {
  for (;;) {
    try {
      return await commits.record(record)
    } catch (error) {
      if (clock.elapsedMs() + recordPauseMs > leaseMs) throw error
      await pause(recordPauseMs)
    }
  }
}

function postponedTo(
  { callbackParams, firstAttemptAt }: TakenCallback,
  now: Date,
  delayMs: number,
) {
  return planPostponement({
    retryParams: callbackParams.retryParams,
    firstAttemptAt: firstAttemptAt ?? undefined,
    now,
    delaySeconds: delayMs / 1000,
  })
}

type DatabaseClock = { now(): Date; elapsedMs(): number }

/** The database's time, counted on from when it was last heard: this machine's own clock may be wrong. */
function databaseClock(takenAt: Date): DatabaseClock {
  const heardAt = performance.now()
  const elapsedMs = () => performance.now() - heardAt
  return { elapsedMs, now: () => new Date(takenAt.getTime() + Math.round(elapsedMs())) }
}

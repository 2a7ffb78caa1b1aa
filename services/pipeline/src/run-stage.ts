import { setTimeout as pause } from 'node:timers/promises'
import { classOfFault } from '@despatch/domain/outage/fault-class'
import {
  type Dependency,
  unavailableDependency,
} from '@despatch/domain/outage/unavailable-dependency'
import type { Task } from '@despatch/queue/queues'
import type { Db } from '@despatch/store/database'
import type { TakenStep } from '@despatch/store/print-job/steps'
import {
  type Postponement,
  parkStep,
  postponeStep,
  renewStep,
  retryStep,
  uncountStart,
  wakeWaitingSteps,
} from '@despatch/store/print-job/steps'
import { commitStored } from '@despatch/store/purge/commit-stored'
import { markObjectsForDeletion, type StoredObject } from '@despatch/store/purge/mark-for-deletion'
import type { Logger } from '@despatch/telemetry/logger'
import type { Tracing } from '@despatch/telemetry/tracing'
import type { Outages } from './outages.ts'
import type { PredefinedOutcome } from './predefined-outcome.ts'
import { killsWorkers, pauseSeconds, planRetry, waitSeconds } from './retry.ts'
import type { Effects, Outcome, Stage } from './stage.ts'
import type { StepCommits } from './step-commits.ts'

export type RunStageContext = {
  db: Db
  effects: Effects
  /** In the test environment some print jobs have an outcome that the stage does not decide. */
  predefinedOutcome: PredefinedOutcome
  commits: StepCommits
  outages: Outages
  leaseSeconds: number
  log: Logger
  tracing: Tracing
  /** Makes the relay publish committed wake-ups now, before its next interval. */
  nudgeRelay: () => void
}

/**
 * Runs one task: leases the print job's step, lets the stage gather facts and decide, and carries out the decision.
 * Does nothing if the print job has moved on, is parked, was deleted or is leased by another worker. Returns the
 * outcome, for the log and the trace.
 */
export async function runStage<Facts>(
  context: RunStageContext,
  stage: Stage<Facts>,
  { subject }: Task,
  lockLost: AbortSignal,
  onTaken: (step: TakenStep) => void = () => {},
): Promise<string> {
  const step = await takeStep(context, stage.status, subject, lockLost)
  if (!step) return 'nothing'
  onTaken(step)
  const span = context.tracing.startSpan(`stage.${stage.queue}`, {
    kind: 'consumer',
    parent: step.traceContext,
    facts: {
      'messaging.destination.name': stage.queue,
      'despatch.print_job.key': step.key,
      'despatch.step.starts': step.starts,
    },
  })
  try {
    const outcome = await span.run(() => runStep(context, stage, step, lockLost))
    span.note({ 'despatch.outcome': outcome })
    span.end(outcome === 'retry' || outcome === 'park' ? outcome : undefined)
    return outcome
  } catch (error) {
    span.end('fault')
    throw error
  }
}

const takesMax = 30
const takePauseMs = 1_000

/**
 * Leases the step. While the database is away, the task waits until the database is back or the queue gives the task to
 * another worker. If the database answers but cannot lease the step, for example because its disk is nearly full, the
 * lease is retried for half a minute: a letter whose task fails waits about a minute for the sweep. Returns undefined
 * if there is no step to run, or another worker has the task. Throws any other fault.
 */
async function takeStep(
  { commits, outages }: RunStageContext,
  status: Stage<unknown>['status'],
  key: string,
  lockLost: AbortSignal,
): Promise<TakenStep | undefined> {
  for (let takes = 1; !lockLost.aborted; takes += 1) {
    try {
      const step = await commits.take(status, key)
      outages.served('database', key)
      return step
    } catch (error) {
      const fault = await outages.judge(error, key)
      if (fault === undefined || takes === takesMax) throw error
      if (fault.verdict !== 'away' && takes > 1) await pause(takePauseMs)
      await outages.whenUp('database')
    }
  }
  return undefined
}

async function runStep<Facts>(
  context: RunStageContext,
  stage: Stage<Facts>,
  step: TakenStep,
  lockLost: AbortSignal,
): Promise<string> {
  const { db, leaseSeconds, log } = context
  if (killsWorkers(step)) {
    await parkStep(db, step, 'WorkerDied')
    return 'park'
  }
  const startedAt = performance.now()
  const lease = renewLease(db, step, leaseSeconds)
  let outcome: string
  try {
    const signal = AbortSignal.any([lockLost, lease.lost])
    outcome = await runOnce(context, stage, step, signal)
    log.info(
      {
        printJobKey: step.key,
        stage: stage.queue,
        outcome,
        durationMs: Math.round(performance.now() - startedAt),
      },
      'stage.run',
    )
  } finally {
    lease.stop()
  }
  context.nudgeRelay()
  return outcome
}

async function runOnce<Facts>(
  context: RunStageContext,
  stage: Stage<Facts>,
  step: TakenStep,
  signal: AbortSignal,
): Promise<string> {
  const { effects, predefinedOutcome, outages } = context
  try {
    const needsObjects = stage.needsObjects(step)
    if (needsObjects && !outages.isUp('object-store')) {
      return await postponeUntilBack(context, stage, step, 'object-store')
    }
    const outcome =
      predefinedOutcome(stage.status, step) ??
      stage.decide(await stage.gather(effects, step, signal))
    const done = await carryOut(context, stage, step, outcome)
    if (needsObjects && outcome.kind === 'advance') outages.served('object-store', step.key)
    return done ? outcome.kind : 'overtaken'
  } catch (error) {
    return postponeFaulty(context, stage, step, { error, isTakenAway: signal.aborted })
  }
}

type Fault = {
  error: unknown
  /** Another worker may have the step: the queue or the lease was away for so long that this worker lost it. */
  isTakenAway: boolean
}
/** After this many failed attempts to postpone a step, the worker lets the lease expire. */
const postponementsMax = 3

/**
 * Postpones a step that failed because of a fault of ours. If a dependency is away, the step waits for it and uses up
 * no attempt. If a dependency answers but fails this letter repeatedly, that uses up attempts like any other fault.
 */
async function postponeFaulty(
  context: RunStageContext,
  stage: Pick<Stage<unknown>, 'queue'>,
  step: TakenStep,
  { error, isTakenAway }: Fault,
  postponementsLeft = postponementsMax,
): Promise<string> {
  const { db, log, outages } = context
  const failure = classOfFault(error)
  const fault = await outages.judge(error, step.key)
  const facts = { printJobKey: step.key, stage: stage.queue, err: error }
  try {
    if (fault?.verdict === 'away')
      return await postponeUntilBack(context, stage, step, fault.dependency)
    if (fault?.verdict === 'blip' || isTakenAway) {
      log.warn(facts, 'stage.interrupted')
      const keepsStarts = isTakenAway
      return await postponeForOutage(context, stage, step, pauseSeconds(), { keepsStarts })
    }
    log.error(facts, 'stage.failed')
    const retry = planRetry({ failures: step.failures + 1, starts: step.starts })
    if (retry.kind === 'park') {
      await parkStep(db, step, failure)
      return 'park'
    }
    await retryStep(db, step, { queue: stage.queue, seconds: retry.seconds, failure })
    return 'retry'
  } catch (lost) {
    if (unavailableDependency(lost) !== 'database' || postponementsLeft === 0) throw lost
    return postponeFaulty(context, stage, step, { error: lost, isTakenAway }, postponementsLeft - 1)
  }
}

/**
 * Postpones a step until a dependency is back. Without the database nothing can be postponed, so this worker keeps the
 * step until the database is back, and then postpones it.
 */
async function postponeUntilBack(
  context: RunStageContext,
  stage: Pick<Stage<unknown>, 'queue'>,
  step: TakenStep,
  dependency: Dependency,
): Promise<string> {
  if (dependency === 'database') {
    await context.outages.whenUp(dependency)
    return postponeForOutage(context, stage, step, pauseSeconds())
  }
  const outcome = await postponeForOutage(context, stage, step, waitSeconds(), {
    waitsFor: dependency,
  })
  // The dependency may have come back before this commit. The sweep that its return started has then missed this step.
  if (context.outages.isUp(dependency)) await wakeWaitingSteps(context.db, dependency, 1)
  return outcome
}

async function postponeForOutage(
  { db }: RunStageContext,
  stage: Pick<Stage<unknown>, 'queue'>,
  step: TakenStep,
  seconds: number,
  postponement?: Postponement,
): Promise<string> {
  const isPostponed = await postponeStep(db, step, stage.queue, seconds, postponement)
  if (!isPostponed) await uncountStart(db, step.key)
  return 'outage'
}

/**
 * Writes the decision of a stage; nothing else writes for it. Stores objects first, under keys derived from their
 * content, then commits one transaction. Returns false if another process moved, deleted or took the print job first.
 */
async function carryOut(
  { db, effects, commits }: Pick<RunStageContext, 'db' | 'effects' | 'commits'>,
  stage: Pick<Stage<unknown>, 'queue'>,
  step: TakenStep,
  outcome: Outcome,
): Promise<boolean> {
  const { key, epoch } = step
  switch (outcome.kind) {
    case 'wait':
      return postponeStep(db, step, stage.queue, outcome.seconds)
    case 'reject': {
      const { comment, findings = [] } = outcome
      return commits.move({ key, epoch, comment, findings }, 'reject', { actor: stage.queue })
    }
    case 'advance': {
      const { transition, next, pins = [], puts = [], made, findings = [] } = outcome
      const stored = storedBy(outcome)
      const moved = await commitStored(db, {
        objects: stored,
        store: async () => {
          for (const { copy } of pins) {
            if (copy && (await effects.objects.copy(copy.from, copy.to, copy)) === 'changed') {
              throw new UploadChanged('An upload was replaced while it was being checked')
            }
          }
          for (const put of puts) await effects.objects.put(put.key, put.bytes, put.contentType)
        },
        commit: () =>
          commits.move({ key, epoch, findings, ...(made && { made }) }, transition, {
            actor: stage.queue,
            pins,
            ...(next && { next }),
          }),
      })
      if (!moved) await markObjectsForDeletion(db, stored, 'unnamed')
      return moved
    }
  }
}

/** Lists the files and the document that an outcome stores. */
function storedBy({ pins = [], made }: Extract<Outcome, { kind: 'advance' }>): StoredObject[] {
  return [
    ...pins.flatMap(({ copy, sha256 }) => (copy ? [{ kind: 'file' as const, sha256 }] : [])),
    ...(made ? [{ kind: 'document' as const, sha256: made.documentSha256 }] : []),
  ]
}

class UploadChanged extends Error {
  override readonly name = 'UploadChanged'
}

/** Renews the lease while the stage works. `lost` aborts once another worker has taken the step. */
function renewLease(db: Db, step: TakenStep, leaseSeconds: number) {
  const lost = new AbortController()
  const timer = setInterval(
    () => {
      renewStep(db, step, leaseSeconds).then(
        (isRenewed) => {
          if (!isRenewed) lost.abort(new Error('The step was taken over'))
        },
        // If the database is away, the lease expires by itself. A later write of this worker names an old epoch and
        // changes nothing.
        () => {},
      )
    },
    (leaseSeconds * 1000) / 3,
  )
  return { lost: lost.signal, stop: () => clearInterval(timer) }
}

import type { Task } from '@despatch/queue/queues'
import type { Db } from '@despatch/store/database'
import type { TakenStep } from '@despatch/store/print-job/steps'
import { parkStep, postponeStep, renewStep, retryStep } from '@despatch/store/print-job/steps'
import { commitStored } from '@despatch/store/purge/commit-stored'
import { doomObjects, type StoredObject } from '@despatch/store/purge/doomed'
import type { Logger } from '@despatch/telemetry/logger'
import type { Tracing } from '@despatch/telemetry/tracing'
import { classOfFault } from './fault-class.ts'
import type { PredefinedOutcome } from './predefined-outcome.ts'
import { killsWorkers, planRetry } from './retry.ts'
import type { Effects, Outcome, Stage } from './stage.ts'
import type { StepCommits } from './step-commits.ts'

export type RunStageContext = {
  db: Db
  effects: Effects
  /** In the test environment some print jobs have an outcome that the stage does not decide. */
  predefinedOutcome: PredefinedOutcome
  commits: StepCommits
  leaseSeconds: number
  log: Logger
  tracing: Tracing
  /** Tells the relay that there may be something to carry. */
  nudgeRelay: () => void
}

/**
 * Does one task: takes the print job's step, lets the stage gather and decide, and carries the outcome out.
 * A task for a job that has moved on, is held elsewhere or was deleted does nothing. Returns what came of it.
 */
export async function runStage<Facts>(
  context: RunStageContext,
  stage: Stage<Facts>,
  { subject }: Task,
  lockLost: AbortSignal,
  onTaken: (step: TakenStep) => void = () => {},
): Promise<string> {
  const step = await context.commits.take(stage.status, subject)
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
  const lease = holdLease(db, step, leaseSeconds)
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
    lease.release()
  }
  context.nudgeRelay()
  return outcome
}

async function runOnce<Facts>(
  { db, effects, predefinedOutcome, commits, log }: RunStageContext,
  stage: Stage<Facts>,
  step: TakenStep,
  signal: AbortSignal,
): Promise<string> {
  try {
    const outcome =
      predefinedOutcome(stage.status, step) ??
      stage.decide(await stage.gather(effects, step, signal))
    const done = await carryOut({ db, effects, commits }, stage, step, outcome)
    return done ? outcome.kind : 'overtaken'
  } catch (error) {
    const failure = classOfFault(error)
    log.error({ printJobKey: step.key, stage: stage.queue, err: error }, 'stage.failed')
    const retry = planRetry({ failures: step.failures + 1, starts: step.starts })
    if (retry.kind === 'park') {
      await parkStep(db, step, failure)
      return 'park'
    }
    await retryStep(db, step, { queue: stage.queue, seconds: retry.seconds, failure })
    return 'retry'
  }
}

/** The only place that writes for a stage. Objects first, under names made from their content, then one transaction. */
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
              throw new UploadChanged('An upload was replaced while it was being looked at')
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
      if (!moved) await doomObjects(db, stored, 'unnamed')
      return moved
    }
  }
}

/** The files and the document that an outcome stores. */
function storedBy({ pins = [], made }: Extract<Outcome, { kind: 'advance' }>): StoredObject[] {
  return [
    ...pins.flatMap(({ copy, sha256 }) => (copy ? [{ kind: 'file' as const, sha256 }] : [])),
    ...(made ? [{ kind: 'document' as const, sha256: made.documentSha256 }] : []),
  ]
}

class UploadChanged extends Error {
  override readonly name = 'UploadChanged'
}

/** Renews the lease while the stage works. `lost` aborts when another worker has taken the step. */
function holdLease(db: Db, step: TakenStep, leaseSeconds: number) {
  const lost = new AbortController()
  const timer = setInterval(
    () => {
      renewStep(db, step, leaseSeconds).then(
        (held) => {
          if (!held) lost.abort(new Error('The step was taken over'))
        },
        // The database is away: the lease runs out by itself, and the epoch fences what comes too late.
        () => {},
      )
    },
    (leaseSeconds * 1000) / 3,
  )
  return { lost: lost.signal, release: () => clearInterval(timer) }
}

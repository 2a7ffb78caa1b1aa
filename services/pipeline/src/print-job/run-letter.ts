import { classOfFault } from '@despatch/domain/outage/fault-class'
import {
  type Dependency,
  unavailableDependency,
} from '@despatch/domain/outage/unavailable-dependency'
import type { Db } from '@despatch/store/database'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import {
  type MovingStatus,
  type Postponement,
  parkStep,
  postponeStep,
  retryStep,
  type TakenStep,
  uncountStart,
} from '@despatch/store/print-job/steps'
import { commitStored } from '@despatch/store/purge/commit-stored'
import { markObjectsForDeletion, type StoredObject } from '@despatch/store/purge/mark-for-deletion'
import type { Logger } from '@despatch/telemetry/logger'
import type { Tracing } from '@despatch/telemetry/tracing'
import { wakeWaitingWork } from '@despatch/work/later'
import type { Outages } from '../watch/outages.ts'
import type { PredefinedOutcome } from './predefined-outcome.ts'
import { killsWorkers, pauseSeconds, planRetry, waitSeconds } from './retry.ts'
import {
  type Effects,
  isPlain,
  type LetterInStage,
  type Outcome,
  type Stage,
  type StageName,
} from './stage.ts'
import type { StepCommits } from './step-commits.ts'

export type RunLetterContext = {
  db: Db
  /** The stage of each moving status. */
  stages: Readonly<Record<MovingStatus, Stage<unknown>>>
  effects: Effects
  /** In the test environment some print jobs have an outcome that the stage does not decide. */
  predefinedOutcome: PredefinedOutcome
  commits: StepCommits
  outages: Outages
  log: Logger
  tracing: Tracing
  /** Called with how a stage ended and how long it took. */
  onStageEnd: (stage: StageName, outcome: string, durationMs: number) => void
}

/**
 * A leased letter. If all its files are in memory, it is released from QUARANTINE without a write: `release` is set
 * until the next write, which records both.
 */
type Letter = LetterInStage & { release?: Advance }

type Advance = Extract<Outcome, { kind: 'advance' }>

/** What became of a letter in a stage. After `advance` into another stage, `next` is the letter to go on with. */
type StageEnd = { outcome: LetterOutcome; next?: Letter }

export type LetterOutcome = Outcome['kind'] | 'overtaken' | 'outage' | 'retry' | 'park'

/**
 * Takes a leased letter through its stages until it leaves them, waits or fails. In each stage it lets the stage gather
 * facts and decide, and carries out the decision. Returns the last outcome.
 */
export async function runLetter(
  context: RunLetterContext,
  taken: TakenStep,
  signal: AbortSignal,
): Promise<LetterOutcome> {
  let end: StageEnd = { outcome: 'advance', next: taken }
  while (end.next) end = await runStage(context, end.next, signal)
  return end.outcome
}

async function runStage(
  context: RunLetterContext,
  step: Letter,
  signal: AbortSignal,
): Promise<StageEnd> {
  const stage = context.stages[step.status]
  const startedAt = performance.now()
  const span = context.tracing.startSpan(`stage.${stage.name}`, {
    kind: 'consumer',
    parent: step.traceContext,
    facts: {
      'messaging.destination.name': stage.name,
      'despatch.print_job.key': step.key,
      'despatch.step.starts': step.starts,
    },
  })
  let outcome: LetterOutcome | 'error' = 'error'
  try {
    const end = await span.run(() => runStep(context, stage, step, signal))
    outcome = end.outcome
    span.note({ 'despatch.outcome': outcome })
    span.end(outcome === 'retry' || outcome === 'park' ? outcome : undefined)
    return end
  } catch (error) {
    span.end('fault')
    throw error
  } finally {
    const durationMs = performance.now() - startedAt
    context.onStageEnd(stage.name, outcome, durationMs)
    const facts = { printJobKey: step.key, stage: stage.name, outcome }
    // within the span, so that the line names the trace
    span.run(() => context.log.info({ ...facts, durationMs: Math.round(durationMs) }, 'stage.run'))
  }
}

async function runStep(
  context: RunLetterContext,
  stage: Stage<unknown>,
  step: Letter,
  signal: AbortSignal,
): Promise<StageEnd> {
  const { db, effects, predefinedOutcome, outages } = context
  try {
    if (killsWorkers(step)) {
      await parkStep(db, step, 'WorkerDied')
      return { outcome: 'park' }
    }
    const needsObjects = stage.needsObjects(step)
    if (needsObjects && !outages.isUp('object-store')) {
      await writeReleaseOfFailed(context, step)
      return { outcome: await postponeUntilBack(context, step, 'object-store') }
    }
    const outcome =
      predefinedOutcome(stage.status, step) ??
      stage.decide(await stage.gather(effects, step, signal))
    const release = findReleaseThatCanWait(step, outcome)
    if (release) return { outcome: 'advance', next: released(step, release) }
    const isDone = await carryOut(context, stage, step, outcome)
    if (needsObjects && outcome.kind === 'advance') outages.served('object-store', step.key)
    if (!isDone) return { outcome: 'overtaken' }
    if (outcome.kind !== 'advance' || outcome.transition !== 'release')
      return { outcome: outcome.kind }
    const next = { ...withPins(step, outcome), status: 'VALIDATING' as const, failures: 0 }
    return { outcome: 'advance', next }
  } catch (error) {
    return {
      outcome: await postponeFaulty(context, stage, step, { error, isTakenAway: signal.aborted }),
    }
  }
}

/**
 * A release of a letter whose files are all in memory can be written together with what follows. A letter that has been
 * started before may end its worker again. Its release is written first, so that its status shows in which stage that
 * happens.
 */
function findReleaseThatCanWait({ starts }: Letter, outcome: Outcome): Advance | undefined {
  if (outcome.kind !== 'advance' || outcome.transition !== 'release') return undefined
  const { pins = [], contents, findings = [], puts = [] } = outcome
  if (findings.length > 0 || puts.length > 0) return undefined
  const isInMemory = pins.every(({ position }) => contents?.has(position))
  return pins.length === 0 || (starts === 1 && isInMemory) ? outcome : undefined
}

/** Failures count for each stage. A letter whose files are not pinned yet fails in QUARANTINE. */
const released = (step: Letter, release: Advance): Letter => ({
  ...withPins(step, release),
  status: 'VALIDATING',
  failures: isPinning(release) ? step.failures : 0,
  release,
})

const isPinning = ({ pins = [] }: Advance): boolean => pins.length > 0

/** Writes the release of a letter that stays in VALIDATING or is rejected there. May be called again. */
async function writeRelease(context: CarryOutContext, step: Letter): Promise<void> {
  const { release, ...letter } = step
  if (release) await carryOut(context, { name: quarantineName }, letter, release)
}

/**
 * Writes the release of a letter that has failed. One that has files to pin goes back to QUARANTINE: its files cannot
 * be stored while the object store is away, and may have changed.
 */
async function writeReleaseOfFailed(context: CarryOutContext, step: Letter): Promise<void> {
  if (step.release && !isPinning(step.release)) await writeRelease(context, step)
}

/** Returns the step as it would be leased after its files were pinned, with what was read of them. */
function withPins(step: Letter, { pins = [], contents }: Advance): Letter {
  const files = step.files.map((file) => {
    const pin = pins.find(({ position }) => position === file.position)
    if (!pin) return file
    const { sha256, bytes, mediaType } = pin
    const content = contents?.get(file.position)
    return { ...file, sha256, bytes, mediaType, content, pinned: true }
  })
  return { ...step, files }
}

const quarantineName: StageName = 'quarantine'

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
  context: RunLetterContext,
  stage: Pick<Stage<unknown>, 'name'>,
  step: Letter,
  { error, isTakenAway }: Fault,
  postponementsLeft = postponementsMax,
): Promise<LetterOutcome> {
  const { db, log, outages } = context
  const failure = classOfFault(error)
  const fault = await outages.judge(error, step.key)
  const facts = { printJobKey: step.key, stage: stage.name, err: error }
  try {
    if (fault?.dependency !== 'database' || fault.verdict !== 'away')
      await writeReleaseOfFailed(context, step)
    if (fault?.verdict === 'away') return await postponeUntilBack(context, step, fault.dependency)
    if (fault?.verdict === 'blip' || isTakenAway) {
      log.warn(facts, 'stage.interrupted')
      const countsStart = isTakenAway
      return await postponeForOutage(context, step, pauseSeconds(), { countsStart })
    }
    log.error(facts, 'stage.failed')
    const retry = planRetry({ failures: step.failures + 1, starts: step.starts })
    if (retry.kind === 'park') {
      await parkStep(db, step, failure)
      return 'park'
    }
    await retryStep(db, step, { seconds: retry.seconds, failure })
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
  context: RunLetterContext,
  step: Letter,
  dependency: Dependency,
): Promise<LetterOutcome> {
  if (dependency === 'database') {
    await context.outages.whenUp(dependency)
    await writeReleaseOfFailed(context, step)
    return postponeForOutage(context, step, pauseSeconds())
  }
  const outcome = await postponeForOutage(context, step, waitSeconds(), { waitsFor: dependency })
  // The dependency may have come back before this commit. The sweep that its return started has then missed this step.
  if (context.outages.isUp(dependency)) await wakeWaitingWork(context.db, letterKind, dependency, 1)
  return outcome
}

async function postponeForOutage(
  { db }: RunLetterContext,
  step: Letter,
  seconds: number,
  postponement?: Postponement,
): Promise<LetterOutcome> {
  const isPostponed = await postponeStep(db, step, seconds, postponement)
  if (!isPostponed) await uncountStart(db, step)
  return 'outage'
}

type CarryOutContext = Pick<RunLetterContext, 'db' | 'effects' | 'commits' | 'log'>

/**
 * Writes the decision of a stage; nothing else writes for it. Stores objects first, under keys derived from their
 * content, then commits one transaction. Returns false if another process moved, deleted or took the print job first.
 */
async function carryOut(
  context: CarryOutContext,
  stage: Pick<Stage<unknown>, 'name'>,
  step: Letter,
  outcome: Outcome,
): Promise<boolean> {
  const { db, effects, commits, log } = context
  const { key, epoch } = step
  if (outcome.kind !== 'advance') await writeRelease(context, step)
  switch (outcome.kind) {
    case 'wait':
      return postponeStep(db, step, outcome.seconds)
    case 'reject': {
      const { comment, findings = [], removes = [] } = outcome
      const move = { key, epoch, comment, findings }
      const moved = await commits.move(move, 'reject', { actor: stage.name })
      if (moved && removes.length > 0) {
        // the sweep deletes those that cannot be deleted now
        await effects.objects
          .removeTogether(removes)
          .catch((err: unknown) => log.warn({ printJobKey: key, err }, 'upload.not-removed'))
      }
      return moved
    }
    case 'advance': {
      const { transition, puts = [], made, findings = [], comment } = outcome
      const written = step.release ? [step.release, outcome] : [outcome]
      const pins = written.flatMap(({ pins = [] }) => pins)
      const stored = written.flatMap(storedBy)
      const unstored = isPlain(step) ? unstoredBy(outcome) : undefined
      let isUnstored = unstored !== undefined
      const moved = await commitStored(db, {
        objects: stored,
        store: async () => {
          if (isUnstored) {
            // if the bytes have been removed since, they are stored at once
            isUnstored = false
            return
          }
          for (const { copy } of pins) {
            if (copy && (await effects.objects.copy(copy.from, copy.to, copy)) === 'changed') {
              throw new UploadChanged('An upload was replaced while it was being checked')
            }
          }
          for (const put of puts) await effects.objects.put(put.key, put.bytes, put.contentType)
        },
        commit: () =>
          commits.move(
            {
              key,
              epoch,
              findings,
              ...(comment !== undefined && { comment }),
              ...(made && { made }),
            },
            transition,
            {
              actor: stage.name,
              pins,
              unstored,
              ...(step.release && { releasedBy: quarantineName }),
            },
          ),
      })
      if (!moved) await markObjectsForDeletion(db, stored, 'unnamed')
      return moved
    }
  }
}

function unstoredBy({ puts = [], made }: Advance) {
  const [put] = puts
  return put && made && { sha256: made.documentSha256, pdf: put.bytes, beginning: put.beginning }
}

/** Lists the files and the document that an outcome stores. */
function storedBy({ pins = [], made }: Advance): StoredObject[] {
  return [
    ...pins.flatMap(({ copy, sha256 }) => (copy ? [{ kind: 'file' as const, sha256 }] : [])),
    ...(made ? [{ kind: 'document' as const, sha256: made.documentSha256 }] : []),
  ]
}

class UploadChanged extends Error {
  override readonly name = 'UploadChanged'
}

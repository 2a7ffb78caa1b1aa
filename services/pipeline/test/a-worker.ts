import type { Lane } from '@despatch/domain/work/lane'
import type { Database, Db } from '@despatch/store/database'
import { letterKind } from '@despatch/store/print-job/letter-kind'
import type { TakenStep } from '@despatch/store/print-job/steps'
import { saveSubmissions } from '@despatch/store/print-job/submissions'
import { createLogger } from '@despatch/telemetry/logger'
import { noTracing } from '@despatch/telemetry/tracing'
import { aMade } from '@despatch/testing/make-pending'
import { aSubmission, insertConsumer } from '@despatch/testing/print-job-builders'
import { withRoom } from '@despatch/testing/with-room'
import { formBatches, type OfferedBatch } from '@despatch/work/form-batches'
import { createTimeShare } from '@despatch/work/time-share'
import { nothingPredefined } from '../src/print-job/predefined-outcome.ts'
import type { Effects, Outcome, Stage } from '../src/print-job/stage.ts'
import { createStepCommits } from '../src/print-job/step-commits.ts'
import { createHandBack } from '../src/work/hand-back.ts'
import type { RunLettersContext } from '../src/work/run-letters.ts'
import { nothingAway } from './nothing-away.ts'

type Work = (step: TakenStep, signal: AbortSignal) => Promise<Outcome>

export type AWorker = {
  quarantine?: Work
  validate?: Work
  context?: Partial<RunLettersContext>
}

/** What a stage decides on a letter that it has validated. */
export const accepted: Outcome = { kind: 'advance', transition: 'accept', made: aMade }

/** What a process needs to work on batches, without a queue. Unless told otherwise, each letter is accepted at once. */
export function aWorker(
  db: Db,
  {
    quarantine = async () => ({ kind: 'advance', transition: 'release' }),
    validate = async () => accepted,
    context = {},
  }: AWorker = {},
): RunLettersContext {
  const onError = (error: Error) => {
    throw error
  }
  return {
    db,
    onError,
    leaseSeconds: 20,
    lettersAtOnce: 4,
    timeShare: createTimeShare(),
    stages: {
      QUARANTINE: aStage({ name: 'quarantine', status: 'QUARANTINE' }, quarantine),
      VALIDATING: aStage({ name: 'validate', status: 'VALIDATING' }, validate),
    },
    effects: {} as Effects,
    predefinedOutcome: nothingPredefined,
    commits: createStepCommits(db),
    handBack: createHandBack({ db, finishMsMax: 0, onError }),
    outages: nothingAway,
    log: createLogger({ service: 'pipeline', level: 'silent' }),
    tracing: noTracing,
    onStageEnd: () => {},
    onTaken: () => {},
    ...context,
  }
}

function aStage(stage: Pick<Stage<Outcome>, 'name' | 'status'>, work: Work): Stage<Outcome> {
  return {
    ...stage,
    needsObjects: () => stage.status === 'VALIDATING',
    gather: (_effects, step, signal) => work(step, signal),
    decide: (outcome) => outcome,
  }
}

/** Forms one batch of all letters that wait in a lane. */
export async function aBatch(db: Db, inLane: Lane = 'plain'): Promise<OfferedBatch> {
  const [batch] = await formBatches(db, withRoom(letterKind, { ordinary: 100, slow: 100 }), {
    pausedQueues: ['letters', 'slow'],
    spend: () => {},
    choose: (waiting) => [
      {
        lane: inLane,
        queue: inLane === 'slow' ? 'slow' : 'letters',
        isFirst: false,
        shares: waiting.filter(({ lane }) => lane === inLane),
      },
    ],
  })
  if (!batch) throw new Error('No letter waits')
  return batch
}

/** The task of a batch of all letters that wait in a lane. */
export async function aBatchTask(db: Db, lane: Lane = 'plain') {
  const { id, epoch } = await aBatch(db, lane)
  return { subject: id, epoch, lane }
}

/** Saves letters of one new consumer. Returns their keys. */
export async function saveLetters({ db, pool }: Database, count: number): Promise<string[]> {
  const consumer = await insertConsumer(db)
  const submissions = Array.from({ length: count }, () => aSubmission(consumer))
  await saveSubmissions(pool, submissions)
  return submissions.map(({ key }) => key)
}

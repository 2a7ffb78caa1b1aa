import { setTimeout as pause } from 'node:timers/promises'
import { slowMs } from '@despatch/domain/work/choose-batches'
import type { Lane } from '@despatch/domain/work/lane'
import type { Task } from '@despatch/queue/queues'
import type { TakenStep } from '@despatch/store/print-job/steps'
import {
  type BatchLease,
  type BatchWait,
  endBatch,
  renewBatch,
  type TakenBatch,
  takeBatch,
} from '@despatch/store/work/batch-lease'
import { recordSpent } from '@despatch/store/work/spent'
import { type LetterOutcome, type RunLetterContext, runLetter } from '../print-job/run-letter.ts'
import type { HandBack } from './hand-back.ts'
import type { TimeShare } from './time-share.ts'

export type RunBatchContext = RunLetterContext & {
  handBack: HandBack
  leaseSeconds: number
  /** How many letters of a batch are processed at once. Letters without files need no memory to speak of: all at once. */
  lettersAtOnce: number
  /** Among the batches of this process. */
  timeShare: TimeShare
  /** Called with how long a batch has waited, once it is taken: the queue then has room for another. */
  onTaken: (wait: BatchWait) => void
  onError: (error: Error) => void
}

type BatchTask = Pick<Task, 'subject' | 'epoch' | 'lane'>

type End = LetterOutcome | 'handed-back' | 'lost' | 'error'

const progressEveryMs = 1_000
/** A batch with such an end measured a dependency or the process, not its letters. The estimate stays as it was. */
const unmeasured: readonly End[] = ['outage', 'overtaken', 'handed-back', 'lost', 'error']
/** A process that was frozen has measured its own absence. */
const letterMsMax = 60_000

/**
 * Processes one batch: leases it, takes each letter through its stages, records what they took, and ends the batch. Does
 * nothing if the batch was taken before. Returns what became of the letters, in words. If letters ended with an error,
 * throws the first after all letters have ended; such a letter waits again once the lease has expired.
 */
export async function runBatch(
  context: RunBatchContext,
  { subject: id, epoch, lane }: BatchTask,
  lockLost: AbortSignal,
  progress: (text: string) => Promise<void> = async () => {},
): Promise<string> {
  const taken = await take(context, { id, epoch }, lockLost)
  if (!taken) return 'nothing to do'
  const { lease, steps, wait } = taken
  context.onTaken(wait)
  const held = holdLease(context, lease)
  const signal = AbortSignal.any([lockLost, held.lost])
  const ends = new Map<End, number>()
  const errors: unknown[] = []
  const took = new Map<string, { letters: number; ms: number }>()
  let ended = 0
  const reporting = setInterval(() => {
    progress(`${ended} of ${steps.length}`).catch(() => {})
  }, progressEveryMs)
  const startedAt = performance.now()
  const endShare = context.timeShare.begin()
  let sharedMs = 0

  async function run(step: TakenStep): Promise<void> {
    const letterStartedAt = performance.now()
    const end = await context.handBack
      .run(step, () => runLetter(context, step, signal))
      .catch((error: unknown) => {
        errors.push(error)
        return 'error' as const
      })
    ended += 1
    ends.set(end, (ends.get(end) ?? 0) + 1)
    const { letters, ms } = took.get(step.consumerId) ?? { letters: 0, ms: 0 }
    const letterMs = performance.now() - letterStartedAt
    took.set(step.consumerId, { letters: letters + 1, ms: ms + letterMs })
  }

  try {
    const waiting = steps.values()
    const runNext = async () => {
      for (const step of waiting) await run(step)
    }
    const atOnce = lane === 'plain' ? steps.length : context.lettersAtOnce
    await Promise.all(Array.from({ length: atOnce }, runNext))
  } finally {
    clearInterval(reporting)
    held.close()
    sharedMs = endShare()
  }
  await endBatch(context.db, lease).catch(context.onError)
  if (!unmeasured.some((end) => ends.has(end))) {
    const batchMs = performance.now() - startedAt
    const isSlow = batchMs / steps.length >= slowMs
    await record(context, lane as Lane | undefined, took, isSlow ? batchMs : sharedMs)
  }
  if (errors.length > 0) throw errors[0]
  return steps.length === 0 ? 'nothing to do' : summarise(ends)
}

const takesMax = 30
const takePauseMs = 1_000

/**
 * Leases the batch. While the database is away, the task waits until the database is back or the queue
 * gives the task to another worker. If the database answers but cannot lease it, for example because its disk
 * is nearly full, the lease is retried for half a minute. Throws any other fault.
 */
async function take(
  { db, leaseSeconds, outages }: RunBatchContext,
  batch: BatchLease,
  lockLost: AbortSignal,
): Promise<TakenBatch | undefined> {
  for (let takes = 1; !lockLost.aborted; takes += 1) {
    try {
      const taken = await takeBatch(db, batch, leaseSeconds)
      outages.served('database', batch.id)
      return taken
    } catch (error) {
      const fault = await outages.judge(error, batch.id)
      if (fault === undefined || takes === takesMax) throw error
      if (fault.verdict !== 'away' && takes > 1) await pause(takePauseMs)
      await outages.whenUp('database')
    }
  }
  return undefined
}

/**
 * Letters of a batch share its part of the time, in proportion to what each took. Slow ones share all of the time that
 * it took, because they keep the place of others for so long.
 */
async function record(
  { db, onError }: RunBatchContext,
  lane: Lane | undefined,
  took: ReadonlyMap<string, { letters: number; ms: number }>,
  batchMs: number,
): Promise<void> {
  if (lane === undefined) return
  const sumMs = [...took.values()].reduce((sum, { ms }) => sum + ms, 0)
  const spent = [...took].map(([consumerId, { letters, ms }]) => ({
    lane,
    consumerId,
    letters,
    ms: sumMs > 0 ? Math.min((batchMs * ms) / sumMs, letters * letterMsMax) : 0,
  }))
  await recordSpent(db, spent).catch(onError)
}

const words: Readonly<Record<End, string>> = {
  advance: 'advanced',
  reject: 'rejected',
  wait: 'waiting',
  retry: 'retried',
  park: 'parked',
  overtaken: 'overtaken',
  outage: 'postponed by an outage',
  'handed-back': 'handed back',
  lost: 'left to the sweep',
  error: 'failed',
}

/** Returns for example "98 advanced, 1 rejected, 1 retried". */
function summarise(ends: ReadonlyMap<End, number>): string {
  return [...ends].map(([end, letters]) => `${letters} ${words[end]}`).join(', ')
}

/** Renews the lease of the batch until it is closed. `lost` aborts once the batch was given up. */
function holdLease(
  { db, leaseSeconds }: Pick<RunBatchContext, 'db' | 'leaseSeconds'>,
  lease: BatchLease,
) {
  const lost = new AbortController()
  const timer = setInterval(
    () => {
      renewBatch(db, lease, leaseSeconds).then(
        (isHeld) => {
          if (!isHeld) lost.abort(new Error('The batch was given up'))
        },
        // If the database is away, the lease expires by itself. A later write of this worker names an old epoch and
        // changes nothing.
        () => {},
      )
    },
    (leaseSeconds * 1000) / 3,
  )
  return { lost: lost.signal, close: () => clearInterval(timer) }
}

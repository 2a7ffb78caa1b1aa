import { setTimeout as pause } from 'node:timers/promises'
import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import type { Task } from '@despatch/queue/queues'
import {
  type BatchLease,
  type BatchWait,
  endBatch,
  renewBatch,
  type TakenBatch,
  takeBatch,
} from './batch-lease.ts'
import { type SpentTime, slowMs } from './choose-batches.ts'
import type { Db, Kind } from './kind.ts'
import type { TimeShare } from './time-share.ts'

/** What became of a subject. */
export type End = {
  /** In words, which follow a number of subjects: `98 advanced`. */
  words: string
  /** Its outcome is committed, by this worker or another. Otherwise it waits again once the lease has expired. */
  isSettled: boolean
  /** The time that it took says what such subjects cost. Otherwise it measured a dependency or the process. */
  isMeasured: boolean
}

/** What is known of the database's outages. */
export type DatabaseWatch = {
  /** Returns undefined if the fault is no outage. */
  judge(
    error: unknown,
    subject: string,
  ): Promise<{ dependency: Dependency; verdict: string } | undefined>
  served(dependency: 'database', subject: string): void
  whenUp(dependency: 'database'): Promise<void>
}

export type RunBatchContext<Subject extends { consumerId: string }> = {
  db: Db
  kind: Kind<Subject>
  leaseSeconds: number
  /** Returns how many subjects of a batch are processed at once. */
  atOnce: (lane: string, size: number) => number
  /** Does the work on one subject. `signal` aborts once another worker may have the batch. */
  run: (subject: Subject, signal: AbortSignal) => Promise<End>
  /** Among the batches of this process. */
  timeShare: TimeShare
  outages: DatabaseWatch
  /** Called with how long a batch has waited, once it is taken: the queue then has room for another. */
  onTaken: (wait: BatchWait) => void
  onError: (error: Error) => void
}

type Leasing = { db: Db; kind: Kind; leaseSeconds: number }

const progressEveryMs = 1_000
/** A process that was frozen has measured its own absence. */
const subjectMsMax = 60_000
const failed: End = { words: 'failed', isSettled: false, isMeasured: false }

/**
 * Processes one batch: leases it, does the work on each subject, records what they took, and ends the batch. Does
 * nothing if the batch was taken before. Returns what became of the subjects, in words. If subjects ended with an error,
 * throws the first after all have ended; such a subject waits again once the lease has expired.
 */
export async function runBatch<Subject extends { consumerId: string }>(
  context: RunBatchContext<Subject>,
  { subject: id, epoch }: Pick<Task, 'subject' | 'epoch'>,
  lockLost: AbortSignal,
  progress: (text: string) => Promise<void> = async () => {},
): Promise<string> {
  const { db, kind, onError } = context
  const taken = await take(context, { id, epoch }, lockLost)
  if (!taken) return nothingToDo
  const { lease, subjects, wait } = taken
  context.onTaken(wait)
  const held = holdLease(context, lease)
  const signal = AbortSignal.any([lockLost, held.lost])
  const ends: End[] = []
  const errors: unknown[] = []
  const took = new Map<string, { size: number; ms: number }>()
  const reporting = setInterval(() => {
    progress(`${ends.length} of ${subjects.length}`).catch(() => {})
  }, progressEveryMs)
  const startedAt = performance.now()
  const endShare = context.timeShare.begin()
  let sharedMs = 0

  async function run(subject: Subject): Promise<void> {
    const subjectStartedAt = performance.now()
    const end = await context.run(subject, signal).catch((error: unknown) => {
      errors.push(error)
      return failed
    })
    ends.push(end)
    const { size, ms } = took.get(subject.consumerId) ?? { size: 0, ms: 0 }
    const subjectMs = performance.now() - subjectStartedAt
    took.set(subject.consumerId, { size: size + 1, ms: ms + subjectMs })
  }

  try {
    const waiting = subjects.values()
    const runNext = async () => {
      for (const subject of waiting) await run(subject)
    }
    const atOnce = context.atOnce(wait.lane, subjects.length)
    await Promise.all(Array.from({ length: atOnce }, runNext))
  } finally {
    clearInterval(reporting)
    held.close()
    sharedMs = endShare()
  }
  if (ends.every(({ isSettled }) => isSettled)) {
    const isMeasured = ends.every((end) => end.isMeasured)
    const batchMs = performance.now() - startedAt
    const isSlow = batchMs / subjects.length >= slowMs
    const spent = isMeasured ? shareTime(wait.lane, took, isSlow ? batchMs : sharedMs) : []
    await endBatch(db, kind, lease, spent).catch(onError)
  }
  if (errors.length > 0) throw errors[0]
  return subjects.length === 0 ? nothingToDo : summarise(ends)
}

const nothingToDo = 'nothing to do'

const takesMax = 30
const takePauseMs = 1_000

/**
 * Leases the batch. While the database is away, the task waits until the database is back or the queue
 * gives the task to another worker. If the database answers but cannot lease it, for example because its disk
 * is nearly full, the lease is retried for half a minute. Throws any other fault.
 */
async function take<Subject extends { consumerId: string }>(
  { db, kind, leaseSeconds, outages }: RunBatchContext<Subject>,
  batch: BatchLease,
  lockLost: AbortSignal,
): Promise<TakenBatch<Subject> | undefined> {
  for (let takes = 1; !lockLost.aborted; takes += 1) {
    try {
      const taken = await takeBatch(db, kind, batch, leaseSeconds)
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
 * Subjects of a batch share its part of the time, in proportion to what each took. Slow ones share all of the time that
 * it took, because they keep the place of others for so long.
 */
function shareTime(
  lane: string,
  took: ReadonlyMap<string, { size: number; ms: number }>,
  batchMs: number,
): SpentTime[] {
  const sumMs = [...took.values()].reduce((sum, { ms }) => sum + ms, 0)
  return [...took].map(([consumerId, { size, ms }]) => ({
    lane,
    consumerId,
    size,
    ms: sumMs > 0 ? Math.min((batchMs * ms) / sumMs, size * subjectMsMax) : 0,
  }))
}

/** Returns for example "98 advanced, 1 rejected, 1 retried". */
function summarise(ends: readonly End[]): string {
  const byWords = Map.groupBy(ends, ({ words }) => words)
  return [...byWords].map(([words, { length }]) => `${length} ${words}`).join(', ')
}

/** Renews the lease of the batch until it is closed. `lost` aborts once the batch was given up. */
function holdLease({ db, kind, leaseSeconds }: Leasing, lease: BatchLease) {
  const lost = new AbortController()
  const timer = setInterval(
    () => {
      renewBatch(db, kind, lease, leaseSeconds).then(
        (isHeld) => {
          if (!isHeld) lost.abort(new Error('The batch was given up'))
        },
        // If the database is away, the lease expires by itself. A later write of this worker names an old version and
        // changes nothing.
        () => {},
      )
    },
    (leaseSeconds * 1000) / 3,
  )
  return { lost: lost.signal, close: () => clearInterval(timer) }
}

import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { QueueState } from '@despatch/queue/queues'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import type { Db } from '@despatch/store/database'
import { wakeOverdueSteps, wakeWaitingSteps } from '@despatch/store/print-job/steps'
import { deleteUploads, listExpiredUploads } from '@despatch/store/print-job/uploads'
import { sql } from 'kysely'
import type { Outages } from './outages.ts'
import type { Stage } from './stage.ts'

const stepsMax = 500
/** The limit of print jobs woken for a dependency that answers probes but has not served a letter yet. */
const triedMax = 10
const uploadsMax = 100
/**
 * With this many wake-ups in a queue, its stage is busy and reaches most overdue print jobs anyway. Further wake-ups
 * would only wait too.
 */
const waitingMax = 1_000
/** A print job overdue for this long may have lost its wake-up, however busy the stage is. */
const longOverdueSeconds = 15 * 60

export type SweepOptions = {
  db: Db
  objects: Pick<ObjectStore, 'remove'>
  stages: readonly Pick<Stage<never>, 'queue' | 'status'>[]
  /** Returns the state of the queues. Must answer within about a second, or throw. */
  queues: () => Promise<readonly Pick<QueueState, 'name' | 'isPaused' | 'waiting'>[]>
  /** Returns a name that changes when the queues lose their contents. */
  incarnation: () => Promise<string>
  outages: Pick<Outages, 'watches' | 'unlessAway'>
  nudgeRelay: () => void
  /** Called with what a pass found. */
  onFound: (what: SweepFinding, count: number) => void
}

/** `step`: a print job whose wake-up was lost or whose worker died. `upload`: an upload that no print job used. */
export type SweepFinding = 'step' | 'upload'

export function startSweep({
  everyMs,
  onError,
  ...options
}: SweepOptions & { everyMs: number; onError: (error: Error) => void }): Repeated {
  return repeat({ name: 'sweep', everyMs, onError, pass: createSweep(options) })
}

/**
 * Returns the pass that wakes print jobs whose wake-up was lost or whose worker died, so that a lost queue loses no
 * work. It also removes uploads that no print job used. It wakes all waiting print jobs after a queue has lost its
 * contents, and otherwise each print job at most once a minute. A paused queue gets no more wake-ups, a full queue only
 * a few.
 */
export function createSweep(options: SweepOptions): () => Promise<'again' | 'idle'> {
  const { db, stages, nudgeRelay, onFound } = options
  let lostAt: Date | undefined
  return async () => {
    const { open, full } = await sortQueues(options)
    lostAt = (await findLoss(options)) ?? lostAt
    // includes paused queues, which have lost their wake-ups as well
    const lost = lostAt
      ? await wakeOverdueSteps(db, queueOfStatus(stages), { stepsMax, lostAt })
      : 0
    if (lost < stepsMax) lostAt = undefined
    const wokenAt = [
      lost,
      await wakeOverdueSteps(db, open, { stepsMax }),
      await wakeOverdueSteps(db, full, {
        stepsMax,
        overdueSeconds: longOverdueSeconds,
      }),
    ]
    const woken = wokenAt.reduce((sum, count) => sum + count)
    const returned = await wakeWaiting(options)
    if (woken > 0 || returned.some((count) => count > 0)) nudgeRelay()
    onFound('step', woken)
    const uploads = await clearUploads(options)
    const isFull = [...wokenAt, ...returned].includes(stepsMax) || uploads === uploadsMax
    return isFull ? 'again' : 'idle'
  }
}

/** Returns when the queues lost their contents, if that is new. A queue that is away counts as not lost. */
async function findLoss({ db, incarnation }: SweepOptions): Promise<Date | undefined> {
  const name = await incarnation().catch(() => undefined)
  return name === undefined ? undefined : noteQueueIncarnation(db, name)
}

/** Wakes the print jobs that wait for a dependency that is up. Returns their number for each such dependency. */
async function wakeWaiting({ db, outages }: SweepOptions): Promise<number[]> {
  const counts: number[] = []
  for (const watch of outages.watches) {
    const countMax = watch.isHalfOpen() ? triedMax : stepsMax
    if (watch.isUp()) counts.push(await wakeWaitingSteps(db, watch.dependency, countMax))
  }
  return counts
}

/** Removes uploads that no print job used. Returns their number, or 'away' if the object store is away. */
async function clearUploads({ db, objects, outages, onFound }: SweepOptions) {
  return outages.unlessAway(['object-store'], 'sweep', async () => {
    const expired = await listExpiredUploads(db, uploadsMax)
    for (const id of expired) await objects.remove(uploadKey(id))
    await deleteUploads(db, expired)
    onFound('upload', expired.length)
    return expired.length
  })
}

type QueueOfStatus = Partial<Record<PrintJobStatus, string>>

/**
 * Returns the queue of each status: `full` has the queues with many wake-ups or an unknown state, `open` the others.
 * Paused queues are left out, because wake-ups would only pile up in them; overdue print jobs are woken once the queue
 * resumes. Wake-ups pile up in a full queue too, and it is unknown which print jobs it already contains.
 */
async function sortQueues({
  stages,
  queues,
}: SweepOptions): Promise<Record<'open' | 'full', QueueOfStatus>> {
  const states = await queues().catch(() => [])
  const stateOf = new Map(states.map((state) => [state.name, state]))
  const routes = stages.map(({ queue, status }) => ({ queue, status, ...stateOf.get(queue) }))
  const notPaused = routes.filter(({ isPaused }) => !isPaused)
  const { open = [], full = [] } = Object.groupBy(notPaused, ({ waiting = waitingMax }) =>
    waiting < waitingMax ? 'open' : 'full',
  )
  return { open: queueOfStatus(open), full: queueOfStatus(full) }
}

function queueOfStatus(stages: SweepOptions['stages']): QueueOfStatus {
  return Object.fromEntries(stages.map(({ status, queue }) => [status, queue]))
}

/**
 * Records the incarnation of the queues' contents. Returns the time of the record, by the database's clock, if the
 * queues had other contents before. Returns undefined if this incarnation is known, or is the first. Of several
 * callers, only one gets the time.
 */
async function noteQueueIncarnation(db: Db, incarnation: string): Promise<Date | undefined> {
  const { rows } = await sql<{ changedAt: Date | null }>`
    insert into queue_incarnation (incarnation) values (${incarnation})
    on conflict (only_row) do update set incarnation = excluded.incarnation, noted_at = now()
      where queue_incarnation.incarnation <> excluded.incarnation
    -- an inserted row has no xmax
    returning case when xmax <> 0 then noted_at end as "changedAt"`.execute(db)
  return rows[0]?.changedAt ?? undefined
}

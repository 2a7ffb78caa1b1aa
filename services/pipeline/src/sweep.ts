import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { QueueState } from '@despatch/queue/queues'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import type { Db } from '@despatch/store/database'
import { wakeOverdueSteps } from '@despatch/store/print-job/steps'
import { deleteUploads, listExpiredUploads } from '@despatch/store/print-job/uploads'
import type { Stage } from './stage.ts'

const stepsMax = 500
const uploadsMax = 100
const checkAfterSeconds = 60
/** With so many wake-ups in a queue, its stage is at work and comes to all of them; more would only wait too. */
const waitingMax = 1_000

export type SweepOptions = {
  db: Db
  objects: Pick<ObjectStore, 'remove'>
  stages: readonly Pick<Stage<never>, 'queue' | 'status'>[]
  /** How the queues stand. Answers soon, or throws. */
  queues: () => Promise<readonly Pick<QueueState, 'name' | 'isPaused' | 'waiting'>[]>
  nudgeRelay: () => void
  /** Told what a pass found. */
  onFound: (what: SweepFinding, count: number) => void
}

/** `step`: a print job whose wake-up was lost, or whose worker died. `upload`: one that nobody used. */
export type SweepFinding = 'step' | 'upload'

export function startSweep({
  everyMs,
  onError,
  ...options
}: SweepOptions & { everyMs: number; onError: (error: Error) => void }): Repeated {
  return repeat({ everyMs, onError, pass: createSweep(options) })
}

/**
 * Makes the pass that wakes print jobs whose wake-up was lost or whose worker died, so that losing a queue loses nothing, and
 * clears away uploads that nobody used. A queue that takes nothing at present gets no more wake-ups.
 */
export function createSweep(options: SweepOptions): () => Promise<'again' | 'idle'> {
  const { db, objects, nudgeRelay, onFound } = options
  return async () => {
    const queueOfStatus = await findOpenQueues(options)
    const woken = await wakeOverdueSteps(db, queueOfStatus, { stepsMax, checkAfterSeconds })
    if (woken > 0) nudgeRelay()
    onFound('step', woken)
    const expired = await listExpiredUploads(db, uploadsMax)
    onFound('upload', expired.length)
    for (const id of expired) await objects.remove(uploadKey(id))
    await deleteUploads(db, expired)
    return woken === stepsMax || expired.length === uploadsMax ? 'again' : 'idle'
  }
}

/**
 * The queues to which wake-ups may be added, by the status of their stage. In one that is paused, full or away, those of every
 * minute would only heap up: whatever is overdue then is woken once it goes on.
 */
async function findOpenQueues({
  stages,
  queues,
}: SweepOptions): Promise<Partial<Record<PrintJobStatus, string>>> {
  const states = await queues().catch(() => [])
  const open = new Set(
    states
      .filter(({ isPaused, waiting }) => !isPaused && waiting < waitingMax)
      .map(({ name }) => name),
  )
  return Object.fromEntries(
    stages.filter(({ queue }) => open.has(queue)).map(({ status, queue }) => [status, queue]),
  )
}

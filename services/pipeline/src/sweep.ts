import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { QueueState } from '@despatch/queue/queues'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import type { Db } from '@despatch/store/database'
import { noteQueueIncarnation } from '@despatch/store/outage/queue-incarnation'
import { wakeOverdueSteps, wakeWaitingSteps } from '@despatch/store/print-job/steps'
import { deleteUploads, listExpiredUploads } from '@despatch/store/print-job/uploads'
import type { Outages } from './outages.ts'
import type { Stage } from './stage.ts'

const stepsMax = 500
/** Woken for a dependency that answers probes and has not served a letter yet. */
const triedMax = 10
const uploadsMax = 100
const checkAfterSeconds = 60
/** With so many wake-ups in a queue, its stage is at work and comes to most of what is overdue; more would only wait too. */
const waitingMax = 1_000
/** What is overdue for so long may have lost its wake-up, however much there is to do. */
const longOverdueSeconds = 15 * 60

export type SweepOptions = {
  db: Db
  objects: Pick<ObjectStore, 'remove'>
  stages: readonly Pick<Stage<never>, 'queue' | 'status'>[]
  /** How the queues stand. Answers soon, or throws. */
  queues: () => Promise<readonly Pick<QueueState, 'name' | 'isPaused' | 'waiting'>[]>
  /** Names the contents of the queues. */
  incarnation: () => Promise<string>
  outages: Pick<Outages, 'watches' | 'unlessAway'>
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
  return repeat({ name: 'sweep', everyMs, onError, pass: createSweep(options) })
}

/**
 * Makes the pass that wakes print jobs whose wake-up was lost or whose worker died, so that losing a queue loses nothing, and
 * clears away uploads that nobody used. It wakes all that wait once a queue has lost its contents, and each after a minute. A queue that is paused gets no more wake-ups, and one that is full few.
 */
export function createSweep(options: SweepOptions): () => Promise<'again' | 'idle'> {
  const { db, stages, nudgeRelay, onFound } = options
  let lostAt: Date | undefined
  return async () => {
    const { open, full } = await sortQueues(options)
    lostAt = (await findLoss(options)) ?? lostAt
    // also those of a paused queue: it holds none of them now
    const lost = lostAt
      ? await wakeOverdueSteps(db, queueOfStatus(stages), { stepsMax, checkAfterSeconds, lostAt })
      : 0
    if (lost < stepsMax) lostAt = undefined
    const wokenAt = [
      lost,
      await wakeOverdueSteps(db, open, { stepsMax, checkAfterSeconds }),
      await wakeOverdueSteps(db, full, {
        stepsMax,
        checkAfterSeconds,
        overdueSeconds: longOverdueSeconds,
      }),
    ]
    const woken = wokenAt.reduce((sum, count) => sum + count)
    const returned = await wakeWaiting(options)
    if (woken > 0 || returned.length > 0) nudgeRelay()
    onFound('step', woken)
    const uploads = await clearUploads(options)
    const isFull = [...wokenAt, ...returned].includes(stepsMax) || uploads === uploadsMax
    return isFull ? 'again' : 'idle'
  }
}

/** When the queues were seen to have lost their contents, if that is new. Queues that are away have not lost them yet. */
async function findLoss({ db, incarnation }: SweepOptions): Promise<Date | undefined> {
  const name = await incarnation().catch(() => undefined)
  return name === undefined ? undefined : noteQueueIncarnation(db, name)
}

/** Wakes what waits for a dependency that is up. Gives how many, of each. */
async function wakeWaiting({ db, outages }: SweepOptions): Promise<number[]> {
  const counts: number[] = []
  for (const watch of outages.watches) {
    const countMax = watch.isOnTrial() ? triedMax : stepsMax
    if (watch.isUp()) counts.push(await wakeWaitingSteps(db, watch.dependency, countMax))
  }
  return counts
}

/** Clears away uploads that nobody used. Gives how many, or 'away' when they have to wait for the object store. */
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
 * The queues by the status of their stage. In one that is paused, the wake-ups of every minute would only heap up: whatever is
 * overdue then is woken once it goes on. So would most in one that is full; which of them is not there nobody knows. One that
 * does not say how it stands is taken to be full.
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

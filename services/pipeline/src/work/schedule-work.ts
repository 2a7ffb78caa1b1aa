import { setTimeout as pause } from 'node:timers/promises'
import { createBatchChooser } from '@despatch/domain/work/choose-batches'
import { type WorkQueue, workQueues } from '@despatch/domain/work/lane'
import type { Queues } from '@despatch/queue/queues'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import type { Db } from '@despatch/store/database'
import { formBatches, hasWork, type OfferedBatch } from '@despatch/store/work/form-batches'
import { createMarks } from '@despatch/store/work/marks'

type SchedulerOptions = {
  db: Db
  queues: Queues
  /** Returns the queues that operators paused. Must answer within about a second. */
  pausedQueues: () => Promise<readonly WorkQueue[]>
  /** The longest pause between two passes. A commit or a taken batch in this process starts a pass at once. */
  everyMs: number
  onError: (error: Error) => void
}

/**
 * Few, so that a letter of a consumer that was idle waits behind few batches. Enough that workers find the next batch
 * while the next pass forms others.
 */
const offeredMax: Readonly<Record<WorkQueue, number>> = { letters: 4, slow: 2 }
/** About as long as another process takes to form batches. */
const formingMs = 15

/** Forms batches of the letters that wait, fairly between consumers, and gives each to its queue as one task. */
export function startScheduler({
  db,
  queues,
  pausedQueues,
  everyMs,
  onError,
}: SchedulerOptions): Repeated {
  const chooser = createBatchChooser()
  const marks = createMarks()
  let isAtRest = true
  const form = async (onBusy: () => void) =>
    formBatches(db, {
      offeredMax,
      pausedQueues: await pausedQueues(),
      marks,
      onBusy,
      ...chooser,
    })
  return repeat({
    name: 'scheduler',
    everyMs,
    onError,
    pass: async () => {
      if (!(await hasWork(db))) {
        if (!isAtRest) chooser.rest()
        isAtRest = true
        return 'idle'
      }
      isAtRest = false
      let isBusy = false
      let batches = await form(() => {
        isBusy = true
      })
      if (isBusy) {
        // the other process may have looked before the letters came for which this pass was started
        await pause(formingMs)
        batches = await form(() => {})
      }
      const offers = workQueues.flatMap((queue) => {
        const ofQueue = batches.filter((batch) => batch.queue === queue)
        return ofQueue.length > 0 ? [queues.enqueue(queue, ofQueue.map(toTask))] : []
      })
      // a batch that its queue does not accept is offered again after some seconds
      const results = await Promise.allSettled(offers)
      const failed = results.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
      return 'idle'
    },
  })
}

function toTask({ id, epoch, lane, isFirst, consumerId, letters }: OfferedBatch) {
  return {
    subject: id,
    epoch,
    lane,
    letters,
    isUrgent: isFirst,
    ...(consumerId !== null && { consumer: consumerId }),
  }
}

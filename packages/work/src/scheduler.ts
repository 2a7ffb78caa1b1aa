import { setTimeout as pause } from 'node:timers/promises'
import type { QueueName, Queues } from '@despatch/queue/queues'
import { type Repeated, repeat } from '@despatch/queue/repeat'
import { createBatchChooser } from './choose-batches.ts'
import { formBatches, hasWork, type OfferedBatch } from './form-batches.ts'
import { type Db, type Kind, lanesOf, queuesOf } from './kind.ts'
import { createMarks } from './marks.ts'

type SchedulerOptions = {
  db: Db
  kind: Kind
  queues: Pick<Queues, 'enqueue'>
  /** Returns the queues that operators paused. Must answer within about a second. */
  pausedQueues: () => Promise<readonly QueueName[]>
  /** The longest pause between two passes. A commit or a taken batch in this process starts a pass at once. */
  everyMs: number
  /** The longest pause after a pass that found nothing. Default: `everyMs`. */
  restMs?: () => number
  onError: (error: Error) => void
}

/** About as long as another process takes to form batches. */
const formingMs = 15

/** Forms batches of the subjects that wait, fairly between consumers, and gives each to its queue as one task. */
export function startScheduler({
  db,
  kind,
  queues,
  pausedQueues,
  everyMs,
  restMs = () => everyMs,
  onError,
}: SchedulerOptions): Repeated {
  const chooser = createBatchChooser(kind)
  const marks = createMarks(lanesOf(kind))
  let isAtRest = true
  const form = async (onBusy: () => void) =>
    formBatches(db, kind, { pausedQueues: await pausedQueues(), marks, onBusy, ...chooser })
  return repeat({
    name: 'scheduler',
    everyMs: () => (isAtRest ? restMs() : everyMs),
    onError,
    pass: async () => {
      if (!(await hasWork(db, kind))) {
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
        // the other process may have looked before the subjects came for which this pass was started
        await pause(formingMs)
        batches = await form(() => {})
      }
      const offers = queuesOf(kind).flatMap(({ name }) => {
        const ofQueue = batches.filter(({ queue }) => queue === name)
        return ofQueue.length > 0 ? [queues.enqueue(name, ofQueue.map(toTask))] : []
      })
      // a batch that its queue does not accept is offered again after some seconds
      const results = await Promise.allSettled(offers)
      const failed = results.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
      return 'idle'
    },
  })
}

function toTask({ id, epoch, lane, isFirst, consumerId, size }: OfferedBatch) {
  return {
    subject: id,
    epoch,
    lane,
    size,
    isUrgent: isFirst,
    ...(consumerId !== null && { consumer: consumerId }),
  }
}

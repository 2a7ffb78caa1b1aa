import { type QueueResponse, renderQueue } from '@despatch/contracts/administration/queue'
import type { ManagedQueue } from '@despatch/queue/queues'
import { findLastPause } from '@despatch/store/access/queue-pauses'
import type { Db } from '@despatch/store/database'

/** Returns the state of a queue; for a paused queue, also who paused it and when. */
export async function getQueue(db: Db, queue: ManagedQueue): Promise<QueueResponse> {
  return renderQueue(queue, queue.isPaused ? await findLastPause(db, queue.name) : undefined)
}

import { type QueueResponse, renderQueue } from '@despatch/contracts/administration/queue'
import type { ManagedQueue } from '@despatch/queue/queues'
import { findLastPause } from '@despatch/store/access/queue-pauses'
import type { Db } from '@despatch/store/database'

/** How a queue stands; of one that is paused, since when and by whom. */
export async function showQueue(db: Db, queue: ManagedQueue): Promise<QueueResponse> {
  return renderQueue(queue, queue.isPaused ? await findLastPause(db, queue.name) : undefined)
}

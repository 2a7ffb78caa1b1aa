import {
  type PauseOfQueue,
  type QueueResponse,
  renderQueue,
} from '@despatch/contracts/administration/queue'
import type { ManagedQueue } from '@despatch/queue/queues'
import { userNameOf } from '@despatch/store/access/user-name-of'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** Returns the state of a queue; for a paused queue, also who paused it, when and why. */
export async function getQueue(db: Db, queue: ManagedQueue): Promise<QueueResponse> {
  return renderQueue(queue, queue.isPaused ? await findLastPause(db, queue.name) : undefined)
}

/** Reads from the audit log when the queue was last paused. Returns undefined if it never was. */
async function findLastPause(db: Db, queue: string): Promise<PauseOfQueue | undefined> {
  const { rows } = await sql<PauseOfQueue>`
    select event.at, event.actor as by, ${userNameOf(sql`event.actor`)} as "byUserName",
      event.detail ->> 'reason' as reason
    from audit_event event
    where event.action = 'queue.paused' and event.detail ->> 'queue' = ${queue}
    order by event.id desc
    limit 1`.execute(db)
  return rows[0]
}

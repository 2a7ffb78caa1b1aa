import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { userNameOf } from './user-name-of.ts'

/** When an action was done, and by whom. */
export type Recorded = { at: Date; by: string; byUserName: string | null }

/** Reads from the audit log when the queue was last paused. Returns undefined if it never was. */
export async function findLastPause(db: Db, queue: string): Promise<Recorded | undefined> {
  const { rows } = await sql<Recorded>`
    select event.at, event.actor as by, ${userNameOf(sql`event.actor`)} as "byUserName"
    from audit_event event
    where event.action = 'queue.paused' and event.detail ->> 'queue' = ${queue}
    order by event.id desc
    limit 1`.execute(db)
  return rows[0]
}

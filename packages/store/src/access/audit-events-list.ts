import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { userNameOf } from './user-name-of.ts'

export type ListedAuditEvent = {
  id: string
  at: Date
  actor: string
  /** Null unless the actor is a consumer. */
  actorUserName: string | null
  action: string
  consumerId: string | null
  userName: string | null
  detail: Record<string, unknown>
}

export type AuditPage = {
  consumerId?: string | undefined
  /** The id of the last event of the previous page. */
  before?: string | undefined
  eventsMax: number
}

/** Lists the audit log, newest first. */
export async function listAuditEvents(
  db: Db,
  { consumerId, before, eventsMax }: AuditPage,
): Promise<ListedAuditEvent[]> {
  const { rows } = await sql<ListedAuditEvent>`
    select event.id::text, event.at, event.actor, ${userNameOf(sql`event.actor`)} as "actorUserName", event.action,
      event.consumer_id as "consumerId", whom.user_name as "userName", event.detail
    from audit_event event
    left join consumer whom on whom.id = event.consumer_id
    where (${consumerId ?? null}::uuid is null or event.consumer_id = ${consumerId ?? null})
      and (${before ?? null}::bigint is null or event.id < ${before ?? null}::bigint)
    order by event.id desc
    limit ${eventsMax}`.execute(db)
  return rows
}

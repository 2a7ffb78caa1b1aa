import type { ListedAuditEvent } from '@despatch/contracts/administration/audit-event'
import { renderAuditEvent } from '@despatch/contracts/administration/audit-event'
import { listAuditEvents as operation } from '@despatch/contracts/administration/operations'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import { userNameOf } from '@despatch/store/access/user-name-of'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** GET /audit-events: lists who changed what, newest first. */
export function listAuditEvents(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { consumerId, cursor, limit } = request.query
      const events = await selectAuditEvents(db, { consumerId, before: cursor, eventsMax: limit })
      return {
        auditEvents: events.map(renderAuditEvent),
        ...cursorAfter(events, limit, ({ id }) => id),
      }
    },
  })
}

type AuditPage = {
  consumerId?: string | undefined
  /** The id of the last event of the previous page. */
  before?: string | undefined
  eventsMax: number
}

/** Lists the audit log, newest first. */
async function selectAuditEvents(
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

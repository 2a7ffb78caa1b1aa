import { renderAuditEvent } from '@despatch/contracts/administration/audit-event'
import { listAuditEvents as operation } from '@despatch/contracts/administration/operations'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import { listAuditEvents as listStored } from '@despatch/store/access/audit-events-list'
import type { Db } from '@despatch/store/database'

/** GET /audit-events: lists who changed what, newest first. */
export function listAuditEvents(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { consumerId, cursor, limit } = request.query
      const events = await listStored(db, { consumerId, before: cursor, eventsMax: limit })
      return {
        auditEvents: events.map(renderAuditEvent),
        ...cursorAfter(events, limit, ({ id }) => id),
      }
    },
  })
}

import { renderAuditEvent } from '@despatch/contracts/administration/audit-event'
import { listAuditEvents as operation } from '@despatch/contracts/administration/operations'
import { londonDayEnd, londonInstant } from '@despatch/domain/calendar/london'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { searchAuditEvents } from '../audit/search-audit-events.ts'

/** GET /audit-events: lists who changed what, newest first. */
export function listAuditEvents(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ query: { from, to, cursor, limit, ...filters } }) => {
      const { events, nextBefore } = await searchAuditEvents(db, {
        ...filters,
        from: from === undefined ? undefined : londonInstant(from, '00:00'),
        to: to === undefined ? undefined : londonDayEnd(to),
        before: cursor,
        eventsMax: limit,
      })
      return {
        auditEvents: events.map(renderAuditEvent),
        ...(nextBefore !== undefined && { nextCursor: nextBefore }),
      }
    },
  })
}

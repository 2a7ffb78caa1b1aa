import type { ListedAuditEvent } from '@despatch/contracts/administration/audit-event'
import * as operations from '@despatch/contracts/administration/operations'
import type { AuditAction } from '@despatch/domain/access/audit-actions'
import { londonDayEnd, londonInstant } from '@despatch/domain/calendar/london'
import type { Api } from '@despatch/http/api'
import { userNameOf } from '@despatch/store/access/user-name-of'
import type { Db } from '@despatch/store/database'
import { type PositionedRows, positionFrom, positionTo } from '@despatch/store/position-at'
import { type RawBuilder, sql } from 'kysely'

/** An event must match all filters. */
export type AuditSearch = {
  actor?: string | undefined
  action?: AuditAction | undefined
  /** An id of something other than the consumer. */
  about?: string | undefined
  consumerId?: string | undefined
  from?: Date | undefined
  /** Exclusive. */
  to?: Date | undefined
  /** The id at which the previous page ended. */
  before?: string | undefined
  eventsMax: number
}

type AuditPage = {
  events: ListedAuditEvent[]
  /** Where the next page begins. A page may end, even without an event, before all were searched. */
  nextBefore: string | undefined
}

/** How many events of one filter a page looks through for those that match the others. */
const lookedThroughMax = 20_000

/**
 * Lists audit events, newest first. Each filter has an index, so a search by one filter, in any range of days, reads no
 * other events. With several filters, the page looks through the events of one of them. All are looked through if any
 * filter has few events. Otherwise a page may end early.
 */
export async function searchAuditEvents(
  db: Db,
  search: AuditSearch,
  limits = { lookedThroughMax },
): Promise<AuditPage> {
  const { ids, nextBefore } = await findIds(db, search, limits)
  const { rows } = await sql<ListedAuditEvent>`
    select event.id::text, event.at, event.actor, ${userNameOf(sql`event.actor`)} as "actorUserName", event.action,
      event.consumer_id as "consumerId", whom.user_name as "userName", event.detail
    from audit_event event
    left join consumer whom on whom.id = event.consumer_id
    where event.id = any (${ids}::bigint[])
    order by event.id desc`.execute(db)
  return { events: rows, nextBefore: nextBefore ?? undefined }
}

type Found = { ids: string[]; nextBefore: string | null }

/** The rows are read in order and on demand: a page that fills early looks no further. */
async function findIds(
  db: Db,
  search: AuditSearch,
  limits: { lookedThroughMax: number },
): Promise<Found> {
  const { eventsMax } = search
  const stream = await chooseStream(db, search, limits)
  const { rows } = await sql<Found>`
    with looked as materialized (
      select id, ${matches(search)} as is_found from audit_event event ${stream} limit ${limits.lookedThroughMax}
    ), found as materialized (
      select id from looked where is_found limit ${eventsMax}
    )
    select coalesce((select array_agg(id::text) from found), '{}') as ids,
      (case when (select count(*) from found) = ${eventsMax} then (select min(id) from found)
        else (select id from looked offset ${limits.lookedThroughMax - 1} limit 1) end)::text as "nextBefore"`.execute(
    db,
  )
  return rows[0]!
}

function matches({ actor, action, consumerId, from, to }: AuditSearch): RawBuilder<unknown> {
  const conditions = [
    actor !== undefined && sql`event.actor = ${actor}`,
    action !== undefined && sql`event.action = ${action}`,
    consumerId !== undefined && sql`event.consumer_id = ${consumerId}::uuid`,
    from !== undefined && sql`event.at >= ${from}`,
    to !== undefined && sql`event.at < ${to}`,
  ].filter((condition) => condition !== false)
  return conditions.length > 0 ? sql`(${sql.join(conditions, sql` and `)})` : sql`true`
}

/**
 * Returns which events are looked through, in their order. If the search is about one thing, these are its events,
 * which are few. Otherwise they are those of the first filter that has no more than a page looks through, or else those
 * of the first filter.
 */
async function chooseStream(
  db: Db,
  search: AuditSearch,
  limits: { lookedThroughMax: number },
): Promise<RawBuilder<unknown>> {
  const { actor, action, about, consumerId } = search
  const range = rangeOf(search)
  if (about !== undefined) return eventsAbout(about, range)
  const streams = [
    consumerId !== undefined && eventsOf(sql`event.consumer_id`, sql`${consumerId}::uuid`, range),
    actor !== undefined && eventsOf(sql`event.actor`, sql`${actor}::text`, range),
    action !== undefined && eventsOf(sql`event.action`, sql`${action}::text`, range),
  ].filter((stream) => stream !== false)
  const [first, ...others] = streams
  if (first === undefined) return sql`where ${isWithin(range)} order by event.id desc`
  if (others.length === 0) return first
  for (const stream of streams) {
    const { rows } = await sql`
      select from audit_event event ${stream} offset ${limits.lookedThroughMax} limit 1`.execute(db)
    if (rows.length === 0) return stream
  }
  return first
}

type IdRange = { low: RawBuilder<unknown>; high: RawBuilder<unknown> }

const allEvents: PositionedRows = {
  table: sql`audit_event`,
  where: sql`true`,
  position: sql`id`,
  at: sql`at`,
}
const idMax = '9223372036854775807'

/** Ids follow the order of the days, so that events of other days are not read. */
function rangeOf({ from, to, before = idMax }: AuditSearch): IdRange {
  return {
    low: from === undefined ? sql`0::bigint` : positionFrom(allEvents, from),
    high:
      to === undefined
        ? sql`${before}::bigint`
        : sql`least(${before}::bigint, ${positionTo(allEvents, to)})`,
  }
}

function isWithin({ low, high }: IdRange): RawBuilder<unknown> {
  return sql`event.id >= ${low} and event.id < ${high}`
}

/** Only the index of this column has the rows in this order, so PostgreSQL cannot prefer to read all events by id. */
function eventsOf(
  column: RawBuilder<unknown>,
  value: RawBuilder<unknown>,
  { low, high }: IdRange,
): RawBuilder<unknown> {
  return sql`
    where (${column}, event.id) >= (${value}, ${low}) and (${column}, event.id) < (${value}, ${high})
    order by ${column} desc, event.id desc`
}

/** The subquery stands alone, so that PostgreSQL reads it by its index. */
function eventsAbout(id: string, range: IdRange): RawBuilder<unknown> {
  const ids = sql`select about.id from audit_event about where audit_subjects(about.detail) @> array[${id}::text] offset 0`
  return sql`where event.id = any (array (${ids})) and ${isWithin(range)} order by event.id desc`
}

/** GET /audit-events: lists who changed what, newest first. */
export function listAuditEvents(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operations.listAuditEvents,
    handler: async ({ query: { from, to, cursor, limit, ...filters } }) => {
      const { events, nextBefore } = await searchAuditEvents(db, {
        ...filters,
        from: from === undefined ? undefined : londonInstant(from, '00:00'),
        to: to === undefined ? undefined : londonDayEnd(to),
        before: cursor,
        eventsMax: limit,
      })
      return {
        auditEvents: events,
        ...(nextBefore !== undefined && { nextCursor: nextBefore }),
      }
    },
  })
}

import { confirmWithinSeconds } from '@despatch/domain/bulk-action/bulk-action'
import { databaseServices } from '@despatch/postgres/service-roles'
import type { Db } from '@despatch/store/database'
import { listOutages, type Outage } from '@despatch/store/outage/outages'
import { sql } from 'kysely'
import { type Overview, readOverview } from './overview.ts'
import { readUnproducedClasses, type UnproducedClass } from './unproduced-classes.ts'

/** The figures that the console shows and exports as metrics. */
export type Figures = Overview & {
  /** Origins whose breaker is not closed. */
  unavailableOrigins: UnavailableOrigins
  bulkActions: WaitingBulkActions
  /** The dependencies that services cannot reach now, longest outage first. */
  outages: Outage[]
  unproducedClasses: UnproducedClass[]
  /** The transaction that has been open for longest; null if none is open. */
  oldestTransaction: OpenTransaction | null
}

export async function readFigures(db: Db): Promise<Figures> {
  const [overview, unavailableOrigins, bulkActions, outages, unproducedClasses, oldestTransaction] =
    await Promise.all([
      readOverview(db),
      readUnavailableOrigins(db),
      readWaitingBulkActions(db),
      listOutages(db),
      readUnproducedClasses(db),
      readOldestTransaction(db),
    ])
  return {
    ...overview,
    unavailableOrigins,
    bulkActions,
    outages,
    unproducedClasses,
    oldestTransaction,
  }
}

/** Origins that callbacks do not reach: their number, and how long one of their callbacks has been owed. */
type UnavailableOrigins = {
  count: number
  /** The origin whose callback has been owed for longest; null if there is none. */
  oldest: string | null
  /** The longest-owed callback among the first due ones of each origin; null if none is due. */
  oldestSeconds: number | null
}

const callbacksMax = 10_000

/** Reads the origins whose breaker is open or half-open, with a bounded number of callbacks of each. */
async function readUnavailableOrigins(db: Db): Promise<UnavailableOrigins> {
  const { rows } = await sql<UnavailableOrigins>`
    select count(*) as count, extract(epoch from now() - min(waiting.since))::double precision as "oldestSeconds",
      (array_agg(shut.origin order by waiting.since, shut.origin))[1] as oldest
    from callback_origin shut left join lateral (
      select min(owed_since) as since from (
        select owed_since from callback
        where origin = shut.origin and state = 'DUE'
        order by due_at limit ${callbacksMax}) due
    ) waiting on true
    where shut.breaker <> 'closed'`.execute(db)
  return rows[0]!
}

/** Plans of bulk actions that another person than the planner must confirm, and the oldest of them. */
type WaitingBulkActions = { count: number; oldest: string | null; oldestSeconds: number | null }

/** More plans than a day has. Older ones have expired. */
const plansMax = 200

async function readWaitingBulkActions(db: Db): Promise<WaitingBulkActions> {
  const { rows } = await sql<WaitingBulkActions>`
    select count(*) as count, (array_agg(id order by position))[1] as oldest,
      extract(epoch from now() - min(planned_at))::double precision as "oldestSeconds"
    from (
      select id, position, planned_at, state, needs_second_person from bulk_action order by position desc limit ${plansMax}
    ) plan
    where state = 'PLANNED' and needs_second_person and planned_at > now() - ${confirmWithinSeconds}::integer * interval '1 second'`.execute(
    db,
  )
  return rows[0]!
}

/** A transaction that is open. While it is, PostgreSQL removes no row that was deleted since it began. */
type OpenTransaction = {
  /** The name that its session gave itself, such as that of a service. */
  application: string
  /** It is a session of one of Despatch's services. */
  isOfService: boolean
  since: Date
  openSeconds: number
}

/** Reads the transaction of the database that has been open for longest. Null: none is open, except this one. */
async function readOldestTransaction(db: Db): Promise<OpenTransaction | null> {
  const { rows } = await sql<Omit<OpenTransaction, 'isOfService'>>`
    select application, since,
      extract(epoch from clock_timestamp() - since)::double precision as "openSeconds"
    from oldest_transaction()`.execute(db)
  const [oldest] = rows
  return oldest ? { ...oldest, isOfService: services.has(oldest.application) } : null
}

const services: ReadonlySet<string> = new Set(databaseServices)

import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Places that callbacks do not get through to: how many, and how long one of their callbacks has been owed. */
export type ShutOrigins = {
  count: number
  /** Of the longest owed among the first that are due at each place; null when none is. */
  oldestSeconds: number | null
}

const callbacksMax = 10_000

/** Reads the origins whose breaker is open or tries again. Of each a bounded number of callbacks is read. */
export async function readShutOrigins(db: Db): Promise<ShutOrigins> {
  const { rows } = await sql<ShutOrigins>`
    select count(*) as count, extract(epoch from now() - min(waiting.since))::double precision as "oldestSeconds"
    from callback_origin shut left join lateral (
      select min(owed_since) as since from (
        select owed_since from callback
        where origin = shut.origin and state = 'DUE' and lease_until is null
        order by due_at limit ${callbacksMax}) due
    ) waiting on true
    where shut.breaker <> 'closed'`.execute(db)
  return rows[0]!
}

import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Records the incarnation of the queues' contents. Returns the time of the record, by the database's clock, if the
 * queues had other contents before. Returns undefined if this incarnation is known, or is the first. Of several
 * callers, only one gets the time.
 */
export async function noteQueueIncarnation(db: Db, incarnation: string): Promise<Date | undefined> {
  const { rows } = await sql<{ changedAt: Date | null }>`
    insert into queue_incarnation (incarnation) values (${incarnation})
    on conflict (only_row) do update set incarnation = excluded.incarnation, noted_at = now()
      where queue_incarnation.incarnation <> excluded.incarnation
    -- an inserted row has no xmax
    returning case when xmax <> 0 then noted_at end as "changedAt"`.execute(db)
  return rows[0]?.changedAt ?? undefined
}

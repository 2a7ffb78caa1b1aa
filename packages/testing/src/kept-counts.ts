import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** Corrects what the database counts, after a test has written rows without their events or has truncated tables. */
export async function correctCounts(db: Db): Promise<void> {
  await sql`
    insert into count_change (what, subject, state, count)
    select what, subject, state, count from count_difference`.execute(db)
  await sql`
    insert into volume_change (contract_id, day, despatch_method, postage_class, accepted, rejected, deleted, letters,
      sheets, pages)
    select contract_id, day, despatch_method, postage_class, accepted, rejected, deleted, letters, sheets, pages
    from volume_difference`.execute(db)
}

/** Returns the counts and volumes that differ from a recount of everything in the database. */
export async function findWrongCounts(db: Db): Promise<unknown[]> {
  const { rows } = await sql<{ wrong: unknown }>`
    select to_jsonb(count_difference) as wrong from count_difference
    union all
    select to_jsonb(volume_difference) from volume_difference`.execute(db)
  return rows.map(({ wrong }) => wrong)
}

import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** Spells FOLD: one process at a time adds changes to the totals. */
const advisoryLock = 0x464f4c44

/**
 * Adds at most `changesMax` changes of the counts, and as many of the volumes, to their totals. Totals and changes
 * together stay as they were. If there were any, it removes submissions older than two hours, attempts and times to
 * answer older than 25 hours, and what was routed before yesterday. While another process does it, it does nothing.
 * Returns `again` if there may be more.
 */
export async function foldCounts(
  db: Db,
  { changesMax }: { changesMax: number },
): Promise<'again' | 'idle'> {
  const counts = await foldCountChanges(db, changesMax)
  const volumes = await foldVolumeChanges(db, changesMax)
  if (counts + volumes === 0) return 'idle'
  await sql`
    delete from count_total
    where (what = 'submission' and state < period_of_submission(now() - interval '2 hours'))
      or (what in ('attempt', 'attempt_of_origin', 'time_to_answer')
        and state < period_of_submission(now() - interval '25 hours'))
      or (what = 'routed'
        and state < to_char((now() at time zone 'Europe/London')::date - 1, 'YYYY-MM-DD'))`.execute(
    db,
  )
  return Math.max(counts, volumes) === changesMax ? 'again' : 'idle'
}

/**
 * SQL: whether there are changes to add. The order makes it read the indexes, whose entries of deleted changes are
 * skipped, not the tables.
 */
export const isAnyToFold = sql<boolean>`coalesce(
  (select id from count_change order by id limit 1),
  (select id from volume_change order by id limit 1)) is not null`

const isLocked = sql`(select pg_try_advisory_xact_lock(${advisoryLock}::integer))`

async function foldCountChanges(db: Db, changesMax: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    with change as (
      delete from count_change
      where id = any (array (select id from count_change where ${isLocked} order by id limit ${changesMax}))
      returning what, subject, state, count
    ), folded as (
      insert into count_total (what, subject, state, count)
      select what, subject, state, sum(count) from change group by what, subject, state
      on conflict (what, subject, state) do update set count = count_total.count + excluded.count
    )
    select count(*) as folded from change`.execute(db)
  return rows[0]!.folded
}

async function foldVolumeChanges(db: Db, changesMax: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    with change as (
      delete from volume_change
      where id = any (array (select id from volume_change where ${isLocked} order by id limit ${changesMax}))
      returning contract_id, day, despatch_method, postage_class, accepted, rejected, deleted, letters, sheets, pages
    ), folded as (
      insert into volume_total (contract_id, day, despatch_method, postage_class, accepted, rejected, deleted, letters,
        sheets, pages)
      select contract_id, day, despatch_method, postage_class, sum(accepted), sum(rejected), sum(deleted), sum(letters),
        sum(sheets), sum(pages)
      from change group by contract_id, day, despatch_method, postage_class
      on conflict (contract_id, day, despatch_method, postage_class) do update set
        accepted = volume_total.accepted + excluded.accepted,
        rejected = volume_total.rejected + excluded.rejected,
        deleted = volume_total.deleted + excluded.deleted,
        letters = volume_total.letters + excluded.letters,
        sheets = volume_total.sheets + excluded.sheets,
        pages = volume_total.pages + excluded.pages
    )
    select count(*) as folded from change`.execute(db)
  return rows[0]!.folded
}

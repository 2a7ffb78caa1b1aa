import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

type RetireRowsOptions = {
  /** What ended before this time is deleted. */
  endedBefore: Date
  /** Limit for the rows of each kind in one pass. */
  rowsMax: number
}

/**
 * Deletes what belongs to no print job and ended long ago: test messages, bulk actions and origins of callbacks. Each
 * statement locks its rows in one order and leaves out those that others have locked, so several processes may do so at
 * once. Returns `again` if there may be more.
 */
export async function retireRows(
  db: Db,
  { endedBefore, rowsMax }: RetireRowsOptions,
): Promise<'again' | 'idle'> {
  const kinds = [
    // a plan that nobody confirmed has no end
    sql`with retired as (
      select id from bulk_action
      where coalesce(ended_at, planned_at) < ${endedBefore} and state <> 'RUNNING'
      order by id limit ${rowsMax} for update skip locked
    ), item as (
      delete from bulk_action_item where bulk_action_id in (select id from retired)
    )
    delete from bulk_action where id in (select id from retired)`,
    // its destination and answers were purged before
    sql`with retired as (
      select id from callback
      where kind = 'test' and destination_sealed is null and ended_at < ${endedBefore}
      order by id limit ${rowsMax} for update skip locked
    ), attempt as (
      delete from callback_attempt where callback_id in (select id from retired)
    )
    delete from callback where id in (select id from retired)`,
    sql`delete from callback_origin where origin in (
      select origin from callback_origin known
      where coalesce(greatest(last_success_at, last_failure_at, tokens_at), '-infinity'::timestamptz) < ${endedBefore}
        and not exists (select from callback where callback.origin = known.origin and state in ('WAITING', 'DUE'))
      order by origin limit ${rowsMax} for update skip locked)`,
  ]
  let isMore = false
  for (const kind of kinds) {
    const { numAffectedRows = 0n } = await kind.execute(db)
    isMore ||= numAffectedRows === BigInt(rowsMax)
  }
  return isMore ? 'again' : 'idle'
}

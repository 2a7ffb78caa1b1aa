import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Unblocks the callbacks that wait in the strict lane of a contract that no longer has strict order. New callbacks of
 * its print jobs are due at once and must not overtake these. Callbacks that another transaction is writing still wait
 * for their turn.
 */
export async function unblockStrictLane(db: Db, contractId: string): Promise<void> {
  await sql`
    with waiting as (
      select id from callback where strict_lane = ${contractId} and state = 'WAITING' for no key update skip locked
    )
    update callback set state = 'DUE', due_at = now(), strict_lane = null, attempt_epoch = attempt_epoch + 1
    from waiting where callback.id = waiting.id`.execute(db)
}

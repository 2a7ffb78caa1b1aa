import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Lets go of what waits for its turn in the strict order of a contract that no longer has it: callbacks that its print jobs
 * come to owe are due at once, and must not go before these. What somebody else writes to at this moment has its turn yet.
 */
export async function releaseStrictLane(db: Db, contractId: string): Promise<void> {
  await sql`
    with waiting as (
      select id from callback where strict_lane = ${contractId} and state = 'WAITING' for no key update skip locked
    )
    update callback set state = 'DUE', due_at = now(), strict_lane = null, attempt_epoch = attempt_epoch + 1
    from waiting where callback.id = waiting.id`.execute(db)
}

import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { purgedBody } from './purged-body.ts'

/** They are few and have an index of their own. */
const callbacksMax = 1_000

/**
 * Removes destination, message and answers of test messages that ended before `endedBefore`. They belong to no print
 * job with which they could be purged. Returns `again` if there may be more.
 */
export async function purgeTestCallbacks(
  db: Db,
  { endedBefore }: { endedBefore: Date },
): Promise<'again' | 'idle'> {
  const { rows } = await sql<{ purged: number }>`
    with ended as (
      select id from callback
      where kind = 'test' and destination_sealed is not null and state in ('DELIVERED', 'DEAD') and ended_at < ${endedBefore}
      order by id limit ${callbacksMax}
      for no key update skip locked
    ), attempt as (
      update callback_attempt set address = null, answer = null from ended where callback_id = ended.id
    ), purged as (
      update callback set destination_sealed = null, body = ${purgedBody} from ended where callback.id = ended.id
      returning callback.id
    )
    select count(*) as purged from purged`.execute(db)
  return rows[0]!.purged === callbacksMax ? 'again' : 'idle'
}

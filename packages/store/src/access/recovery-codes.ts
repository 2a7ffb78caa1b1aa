import { sql } from 'kysely'
import type { Db } from '../database.ts'

type RecoveryCodeRules = { lifeSeconds: number; triesMax: number; codesPerHourMax: number }

/**
 * Replaces the consumer's recovery code with this one. Returns `too-many` if the consumer has reached the limit for the
 * last hour; the previous code then stays valid.
 */
export async function saveRecoveryCode(
  db: Db,
  { consumerId, codeHash }: { consumerId: string; codeHash: Buffer },
  { lifeSeconds, triesMax, codesPerHourMax }: RecoveryCodeRules,
): Promise<'saved' | 'too-many'> {
  const { numAffectedRows } = await sql`
    insert into recovery_code as known (consumer_id, code_hash, expires_at, tries_left, issued_at)
    values (${consumerId}, ${codeHash}, now() + ${lifeSeconds}::integer * interval '1 second', ${triesMax}, array[now()])
    on conflict (consumer_id) do update set
      code_hash = excluded.code_hash, expires_at = excluded.expires_at, tries_left = excluded.tries_left, used_at = null,
      issued_at = array(select at from unnest(known.issued_at) at where at > now() - interval '1 hour') || now()
    where (
      select count(*) from unnest(known.issued_at) at where at > now() - interval '1 hour'
    ) < ${codesPerHourMax}`.execute(db)
  return numAffectedRows === 1n ? 'saved' : 'too-many'
}

/**
 * Uses up one of the tries that the consumer's code allows and returns the hash to compare with. Returns undefined if
 * there is no code, or it has expired, was used or was tried too often.
 */
export async function takeRecoveryTry(tx: Db, consumerId: string): Promise<Buffer | undefined> {
  const row = await tx
    .updateTable('recovery_code')
    .set(({ eb }) => ({ tries_left: eb('tries_left', '-', 1) }))
    .where('consumer_id', '=', consumerId)
    .where('tries_left', '>', 0)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('code_hash')
    .executeTakeFirst()
  return row?.code_hash
}

/** Uses up the code. Of several concurrent callers, one gets true. */
export async function useRecoveryCode(
  tx: Db,
  { consumerId, codeHash }: { consumerId: string; codeHash: Buffer },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('recovery_code')
    .set({ used_at: sql<Date>`now()`, tries_left: 0 })
    .where('consumer_id', '=', consumerId)
    .where('code_hash', '=', codeHash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

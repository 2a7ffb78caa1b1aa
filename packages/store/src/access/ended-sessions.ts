import type { Db } from '../database.ts'

type EndedSession = { sessionHash: Buffer; endsAt: Date }

/**
 * Ends a session before it expires. Returns false if it was already ended. Deletes the entries of sessions that expired
 * by `now`.
 */
export async function endSession(
  tx: Db,
  { sessionHash, endsAt }: EndedSession,
  now: Date,
): Promise<boolean> {
  await tx.deleteFrom('ended_session').where('ends_at', '<=', now).execute()
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('ended_session')
    .values({ session_hash: sessionHash, ends_at: endsAt })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

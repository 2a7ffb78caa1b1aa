import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** The callbacks that a process has taken for an origin. */
export type CallbackTurn = {
  turnId: string
  origin: string
  callbacks: number
  /** How many of them have ended. */
  ended: number
  /** How many are called at once. */
  callsMax: number
  takenAt: Date
}

/** Lists the turns that were taken first. */
export async function listCallbackTurns(db: Db, turnsMax: number): Promise<CallbackTurn[]> {
  const { rows } = await sql<CallbackTurn>`
    select batch.id as "turnId", batch.origin, cardinality(batch.subjects) as callbacks,
      cardinality(batch.subjects) - live.count as ended, batch.calls_max as "callsMax", batch.taken_at as "takenAt"
    from (select * from callback_batch order by taken_at, id limit ${turnsMax}) batch
    cross join lateral (
      select count(*)::integer as count from unnest(batch.subjects, batch.versions) as call (id, version)
      join callback on callback.id = call.id and coalesce(attempt_epoch = call.version and state = 'DUE', false)) live
    order by batch.taken_at, batch.id`.execute(db)
  return rows
}

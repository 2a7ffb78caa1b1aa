import { sql } from 'kysely'

/**
 * SQL: a process has a call of the `callback` under way. A call that has ended is still in its batch for a moment; its
 * callback then has another epoch.
 */
export const isUnderWay = sql<boolean>`(callback.state = 'DUE' and (callback.id, callback.attempt_epoch) in (
  select call.id, call.version from callback_batch batch
  cross join lateral unnest(batch.subjects, batch.versions) as call (id, version)))`

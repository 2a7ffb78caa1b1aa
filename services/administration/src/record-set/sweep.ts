import { transact } from '@despatch/postgres/transact'
import { type Db, lockNotAvailable, type Tx } from '@despatch/store/database'
import type { Logger } from '@despatch/telemetry/logger'
import type { PeriodicTask } from '@despatch/work/periodic-tasks'
import { sql } from 'kysely'

const everyMs = 60_000
const graceSeconds = 300
const roundMsMax = 10 * 60_000

/** Drops sets that are no longer required, once a minute. */
export function recordSetTask({ db, log }: { db: Db; log: Logger }): PeriodicTask {
  return {
    name: 'record-sets',
    everyMs,
    passMsMax: roundMsMax,
    pass: async () => {
      const dropped = await dropOldSets(db, { graceSeconds })
      for (const recordSetId of dropped) log.info({ recordSetId }, 'record-set.dropped')
      return 'idle'
    },
  }
}

type DropRules = {
  /** For enquiries that started with a set before it was retired. */
  graceSeconds: number
  /** How long enquiries may be blocked while a table is dropped, in milliseconds. */
  lockWaitMs?: number
}

/**
 * Drops the tables of sets that are no longer needed: abandoned sets, and sets retired before the latest retired one of
 * their kind, which is kept for a rollback. Returns the ids of the dropped sets. A set whose tables are in use is left
 * for the next time.
 */
export async function dropOldSets(
  db: Db,
  { graceSeconds, lockWaitMs = 200 }: DropRules,
): Promise<number[]> {
  const dropped: number[] = []
  for (const set of await listOldSets(db, graceSeconds)) {
    if (await dropUnlessUsed(db, set, lockWaitMs)) dropped.push(set.id)
  }
  return dropped
}

type OldSet = { id: number }

async function listOldSets(db: Db, graceSeconds: number): Promise<OldSet[]> {
  const { rows } = await sql<OldSet>`
    select id from record_set as old
    where (state = 'RETIRED' and ended_at < now() - ${graceSeconds}::integer * interval '1 second' and exists (
        select from record_set as later
        where later.kind = old.kind and later.state = 'RETIRED'
          and (later.ended_at, later.id) > (old.ended_at, old.id)))
      or (state = 'ABANDONED' and to_regclass(
        case kind when 'vehicle' then 'vehicle_record_s' else 'driver_record_s' end || id) is not null)
    order by id`.execute(db)
  return rows
}

async function dropUnlessUsed(db: Db, set: OldSet, lockWaitMs: number): Promise<boolean> {
  try {
    return await transact(db, (tx) => drop(tx, set, lockWaitMs))
  } catch (error) {
    if ((error as { code?: unknown }).code === lockNotAvailable) return false
    throw error
  }
}

async function drop(tx: Tx, { id }: OldSet, lockWaitMs: number): Promise<boolean> {
  await sql`set local lock_timeout = ${sql.lit(lockWaitMs)}`.execute(tx)
  const found = await tx
    .selectFrom('record_set')
    .select('state')
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  // the set was rolled back to in the meantime
  if (found?.state !== 'RETIRED' && found?.state !== 'ABANDONED') return false
  await sql`select drop_record_set(${id}::bigint)`.execute(tx)
  if (found.state === 'RETIRED') {
    await tx.updateTable('record_set').set({ state: 'DROPPED' }).where('id', '=', id).execute()
  }
  return true
}

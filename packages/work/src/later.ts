import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import { type RawBuilder, sql } from 'kysely'
import { type Db, type Kind, type Tx, tablesOf } from './kind.ts'

/** Moves subjects whose time has come to those that wait, earliest first. */
export async function moveDueWork(tx: Tx, kind: Kind, subjectsMax: number): Promise<void> {
  await move(tx, kind, sql`due_at <= now()`, subjectsMax)
}

/**
 * Moves subjects that wait for a dependency which has recovered to those that wait for a worker, earliest first. Returns
 * how many. Several sweeps may run at once.
 */
export async function wakeWaitingWork(
  db: Db,
  kind: Kind,
  dependency: Dependency,
  subjectsMax: number,
): Promise<number> {
  return move(db, kind, sql`waits_for = ${dependency}`, subjectsMax)
}

async function move(
  db: Db,
  kind: Kind,
  condition: RawBuilder<unknown>,
  subjectsMax: number,
): Promise<number> {
  const { later, waiting } = tablesOf(kind)
  const { rows } = await sql`
    with gone as (
      delete from ${later} where subject in (
        select subject from ${later} where ${condition} order by due_at limit ${subjectsMax} for update skip locked
      ) returning lane, consumer_id, subject, version
    )
    insert into ${waiting} (lane, consumer_id, subject, version)
    select lane, consumer_id, subject, version from gone
    returning seq`.execute(db)
  return rows.length
}

import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import { prepared } from '@despatch/postgres/prepared'
import { type RawBuilder, sql } from 'kysely'
import { type Db, type Kind, type Tx, tablesOf } from './kind.ts'

/** Moves subjects whose time has come to those that wait, earliest first. */
export async function moveDueWork(tx: Tx, kind: Kind, subjectsMax: number): Promise<void> {
  const { later } = tablesOf(kind)
  await move(
    tx,
    kind,
    sql`${prepared(`move-due ${kind.name}`)}
      select subject from ${later} where due_at <= now() order by due_at limit ${subjectsMax} for update skip locked`,
  )
}

/**
 * Moves subjects that wait for a dependency which has recovered to those that wait for a worker: of each consumer the
 * same number, earliest first, so that nobody waits for the backlog of another. Returns how many. Several sweeps may run
 * at once.
 */
export async function wakeWaitingWork(
  db: Db,
  kind: Kind,
  dependency: Dependency,
  subjectsMax: number,
): Promise<number> {
  const { later } = tablesOf(kind)
  return move(
    db,
    kind,
    sql`
      with recursive consumer as (
        (select consumer_id as id from ${later} where waits_for = ${dependency} order by consumer_id limit 1)
        union all
        select next.id from consumer cross join lateral (
          select consumer_id as id from ${later} where waits_for = ${dependency} and consumer_id > consumer.id
          order by consumer_id limit 1
        ) next
      )
      select own.subject from consumer cross join lateral (
        select subject from ${later} where waits_for = ${dependency} and consumer_id = consumer.id order by due_at
        limit greatest(1, ${subjectsMax}::integer / (select count(*) from consumer)) for update skip locked
      ) own limit ${subjectsMax}`,
  )
}

/** Moves the subjects that a query selects. Returns how many. */
async function move(db: Db, kind: Kind, subjects: RawBuilder<unknown>): Promise<number> {
  const { later, waiting } = tablesOf(kind)
  const { rows } = await sql`
    with gone as (
      delete from ${later} where subject = any (array(${subjects})) returning lane, consumer_id, subject, version
    )
    insert into ${waiting} (lane, consumer_id, subject, version)
    select lane, consumer_id, subject, version from gone
    returning seq`.execute(db)
  return rows.length
}

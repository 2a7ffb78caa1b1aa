import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'

/** Moves letters whose time has come to the work that waits, earliest first. */
export async function moveDueWork(tx: Tx, lettersMax: number): Promise<void> {
  await sql`
    with gone as (
      delete from work_later where print_job_key in (
        select print_job_key from work_later where due_at <= now()
        order by due_at limit ${lettersMax} for update skip locked
      ) returning lane, consumer_id, print_job_key
    )
    insert into work_waiting (lane, consumer_id, print_job_key)
    select lane, consumer_id, print_job_key from gone`.execute(tx)
}

/**
 * Moves letters that wait for a dependency which has recovered to the work that waits, earliest first. Returns how
 * many. Several sweeps may run at once.
 */
export async function wakeWaitingWork(
  db: Db,
  dependency: Dependency,
  lettersMax: number,
): Promise<number> {
  const { rows } = await sql`
    with gone as (
      delete from work_later where print_job_key in (
        select print_job_key from work_later where waits_for = ${dependency}
        order by due_at limit ${lettersMax} for update skip locked
      ) returning lane, consumer_id, print_job_key
    )
    insert into work_waiting (lane, consumer_id, print_job_key)
    select lane, consumer_id, print_job_key from gone
    returning seq`.execute(db)
  return rows.length
}

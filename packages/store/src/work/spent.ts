import type { SpentTime } from '@despatch/domain/work/choose-batches'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Records what the letters of a batch took, for the scheduler's accounts. A lost record costs fairness only. */
export async function recordSpent(db: Db, spent: readonly SpentTime[]): Promise<void> {
  if (spent.length === 0) return
  await sql`
    insert into work_spent (lane, consumer_id, letters, ms)
    select * from unnest(${spent.map(({ lane }) => lane)}::text[],
      ${spent.map(({ consumerId }) => consumerId)}::uuid[],
      ${spent.map(({ letters }) => letters)}::integer[], ${spent.map(({ ms }) => ms)}::double precision[])`.execute(
    db,
  )
}

/** SQL: removes the records and returns each as a `SpentTime`. */
export const deleteSpent = sql.raw(
  'delete from work_spent returning lane, consumer_id as "consumerId", letters, ms',
)

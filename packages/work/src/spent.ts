import { type RawBuilder, sql } from 'kysely'
import type { SpentTime } from './choose-batches.ts'
import { type Db, type Kind, tablesOf } from './kind.ts'

/** Records what the subjects of a batch took, for the scheduler's accounts. A lost record costs fairness only. */
export async function recordSpent(db: Db, kind: Kind, spent: readonly SpentTime[]): Promise<void> {
  if (spent.length === 0) return
  await sql`
    insert into ${tablesOf(kind).spent} (lane, consumer_id, size, ms)
    select * from unnest(${spent.map(({ lane }) => lane)}::text[],
      ${spent.map(({ consumerId }) => consumerId)}::uuid[],
      ${spent.map(({ size }) => size)}::integer[], ${spent.map(({ ms }) => ms)}::double precision[])`.execute(
    db,
  )
}

/** SQL: removes the records and returns each as a `SpentTime`. */
export const deleteSpent = (kind: Kind): RawBuilder<SpentTime> =>
  sql`delete from ${tablesOf(kind).spent} returning lane, consumer_id as "consumerId", size, ms`

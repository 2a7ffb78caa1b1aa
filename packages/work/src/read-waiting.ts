import { prepared } from '@despatch/postgres/prepared'
import { sql } from 'kysely'
import { subjectsMax, type WaitingSubjects } from './choose-batches.ts'
import { type Kind, type Tx, tablesOf } from './kind.ts'
import type { Marks } from './marks.ts'

/** How many consumers of each lane one pass reads. */
export const consumersMax = 1_000

/**
 * Reads which consumers have subjects waiting: at most a hundred rows of each known consumer from its mark on, and for
 * others a loose index scan of the ranges between the known ones. Neither reads the rows that are gone below a mark.
 * The subqueries are as in `formBatches`.
 * `drawn`: a `seq` that was drawn before this is called.
 */
export async function readWaiting(
  tx: Tx,
  kind: Kind,
  marks: Marks,
  drawn: number,
): Promise<WaitingSubjects[]> {
  const { waiting } = tablesOf(kind)
  const { known, gaps } = marks.plan(consumersMax)
  const { rows } = await sql<
    WaitingSubjects & { firstSeq: number }
  >`${prepared(`read-waiting ${kind.name}`)}
    with known as (
      select * from unnest((select ${known.map(({ lane }) => lane)}::text[]), ${known.map(({ consumerId }) => consumerId)}::uuid[],
        ${known.map(({ mark }) => mark)}::bigint[]) as known (lane, consumer_id, mark)
    ), gap as (
      select * from unnest((select ${gaps.map(({ lane }) => lane)}::text[]), ${gaps.map(({ after }) => after)}::uuid[],
        ${gaps.map(({ before }) => before)}::uuid[]) as gap (lane, after_id, before_id)
    ), other as (
      select gap.lane, head.consumer_id, 0::bigint as mark from gap cross join lateral (
        with recursive head as (
          (select consumer_id from ${waiting}
            where lane = gap.lane and consumer_id > gap.after_id and consumer_id < gap.before_id
            order by consumer_id limit 1)
          union all
          select next.consumer_id from head cross join lateral (
            select consumer_id from ${waiting}
            where lane = gap.lane and consumer_id > head.consumer_id and consumer_id < gap.before_id
            order by consumer_id limit 1
          ) next
        )
        select consumer_id from head limit ${consumersMax}
      ) head
    )
    select head.lane, head.consumer_id as "consumerId", waiting.size, waiting.first_seq as "firstSeq"
    from (select * from known union all select * from other) head cross join lateral (
      select count(*)::integer as size, min(seq) as first_seq from (
        select seq from ${waiting}
        where lane = head.lane and consumer_id = head.consumer_id and seq > head.mark
        order by seq limit ${subjectsMax}
      ) first
    ) waiting
    where waiting.size > 0`.execute(tx)
  marks.note(rows, drawn)
  return rows.map(({ lane, consumerId, size }) => ({ lane, consumerId, size }))
}

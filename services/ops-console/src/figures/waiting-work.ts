import { type Lane, lanes, type WorkQueue, workQueues } from '@despatch/domain/work/lane'
import type { Db } from '@despatch/store/database'
import { canaryConsumerId } from '@despatch/work/canary-consumer'
import { sql } from 'kysely'

/** The letters that no worker has taken, without canaries. Counts of letters end at `countedMax`. */
export type WaitingWork = {
  lanes: {
    lane: Lane
    letters: number
    /** How many consumers the letters belong to. */
    consumers: number
    oldestSeconds: number | null
  }[]
  /** Letters that wait for a time or for a dependency. */
  postponed: number
  /** Batches that were given to the queue and that no worker has taken. */
  offered: { queue: WorkQueue; batches: number; letters: number }[]
}

/** Counting more would take longer than an overview may take. */
export const countedMax = 10_000

/** Millions of letters may wait, so this reads one row of each consumer and a bounded number of the others. */
export async function readWaitingWork(db: Db): Promise<WaitingWork> {
  const [waiting, postponed, offered] = await Promise.all([
    readLanes(db),
    countPostponed(db),
    readOffered(db),
  ])
  return { lanes: waiting, postponed, offered }
}

/** A loose index scan finds the first letter of each consumer in each lane, which is its oldest. */
async function readLanes(db: Db): Promise<WaitingWork['lanes']> {
  const { rows } = await sql<WaitingWork['lanes'][number]>`
    with recursive head as (
      (select lane, consumer_id, since from letter_waiting order by lane, consumer_id, seq limit 1)
      union all
      select next.lane, next.consumer_id, next.since from head cross join lateral (
        select lane, consumer_id, since from letter_waiting
        where (lane, consumer_id) > (head.lane, head.consumer_id)
        order by lane, consumer_id, seq limit 1
      ) next
    )
    select known.lane, count(head.consumer_id) as consumers,
      extract(epoch from now() - min(head.since))::double precision as "oldestSeconds",
      (select count(*) from (
        select from letter_waiting where lane = known.lane and consumer_id <> ${canaryConsumerId} limit ${countedMax}) counted) as letters
    from unnest(${[...lanes]}::text[]) with ordinality as known (lane, place)
    left join head on head.lane = known.lane and head.consumer_id <> ${canaryConsumerId}
    group by known.lane, known.place order by known.place`.execute(db)
  return rows
}

async function countPostponed(db: Db): Promise<number> {
  const { rows } = await sql<{ letters: number }>`
    select count(*) as letters from (select from letter_later limit ${countedMax}) counted`.execute(
    db,
  )
  return rows[0]!.letters
}

async function readOffered(db: Db): Promise<WaitingWork['offered']> {
  const { rows } = await sql<WaitingWork['offered'][number]>`
    select known.queue, count(batch.id) as batches,
      coalesce(sum(cardinality(batch.subjects)), 0)::bigint as letters
    from unnest(${[...workQueues]}::text[]) with ordinality as known (queue, place)
    left join letter_batch batch on batch.queue = known.queue and batch.leased_until is null
    group by known.queue, known.place order by known.place`.execute(db)
  return rows
}

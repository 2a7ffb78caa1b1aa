import type { BatchChoice, SpentTime, WaitingLetters } from '@despatch/domain/work/choose-batches'
import { type Lane, lanes, type WorkQueue, workQueues } from '@despatch/domain/work/lane'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { transact } from '../transact.ts'
import { moveDueWork } from './later.ts'
import { takeSpent } from './spent.ts'

/** A batch to give to its queue. The epoch tells this offer of the batch from those before. */
export type OfferedBatch = {
  id: string
  epoch: number
  queue: WorkQueue
  lane: Lane
  isFirst: boolean
  /** The consumer of all its letters; null if there are several. */
  consumerId: string | null
  letters: number
}

export type FormOptions = {
  /** At most this many batches of each queue wait for a worker. The backlog stays in the database. */
  offeredMax: Readonly<Record<WorkQueue, number>>
  /** Queues whose batches are not offered again, although no worker takes them. */
  pausedQueues: readonly WorkQueue[]
  /** Where reading continues in a lane with more consumers than one pass reads. Kept between passes. */
  cursors?: Map<Lane, string>
  /** Called if nothing is formed because another process forms batches at this moment. */
  onBusy?: () => void
  spend: (spent: readonly SpentTime[]) => void
  choose: (
    waiting: readonly WaitingLetters[],
    room: Readonly<Record<WorkQueue, number>>,
  ) => BatchChoice[]
}

/** Any number that no other advisory lock of the system uses. */
const formingLock = 7_341_902
/** A batch that no worker has taken after this time was lost by its queue, or the workers of its queue are busy. */
const offeredSeconds: Readonly<Record<WorkQueue, number>> = { letters: 5, slow: 60 }
/** How many consumers of each lane one pass reads. */
export const consumersMax = 1_000
const firstConsumerId = '00000000-0000-0000-0000-000000000000'
const dueMax = 1_000
const lettersCountedMax = 100

/**
 * Returns true if there is something to form: letters that wait or are due, or batches that no worker took in time. One
 * statement without locks, for the passes in which there is nothing to do.
 */
export async function hasWork(db: Db): Promise<boolean> {
  const { rows } = await sql<{ hasWork: boolean }>`
    select exists (select from work_waiting)
      or exists (select from work_later where due_at <= now())
      or exists (select from work_batch where due_at <= now() and leased_until is null) as "hasWork"`.execute(
    db,
  )
  return rows[0]!.hasWork
}

/**
 * Forms batches of waiting letters as `choose` decides, and returns those to give to their queues: the new ones, and
 * those that no worker took in time, under a new epoch. Letters are moved from the work that waits into a batch in one
 * transaction, so each is in one of the two. One process forms at a time; another returns nothing at once.
 */
export async function formBatches(
  db: Db,
  { offeredMax, pausedQueues, cursors = new Map(), onBusy = () => {}, spend, choose }: FormOptions,
): Promise<OfferedBatch[]> {
  return transact(db, async (tx) => {
    const lock = await sql<{ isMine: boolean }>`
      select pg_try_advisory_xact_lock(${formingLock}) as "isMine"`.execute(tx)
    if (!lock.rows[0]!.isMine) {
      onBusy()
      return []
    }
    // a crash of the database may lose the last batches; their letters are then in work_waiting again
    await sql`set local synchronous_commit = off`.execute(tx)
    await moveDueWork(tx, dueMax)
    spend(await takeSpent(tx))
    const again = await offerAgain(tx, pausedQueues)
    const offered = await countOffered(tx)
    const room = Object.fromEntries(
      workQueues.map((queue) => [
        queue,
        Math.max(0, offeredMax[queue] - (offered.get(queue) ?? 0)),
      ]),
    ) as Record<WorkQueue, number>
    if (!workQueues.some((queue) => room[queue] > 0)) return again
    const formed: OfferedBatch[] = []
    for (const choice of choose(await readWaiting(tx, cursors), room)) {
      const batch = await formBatch(tx, choice)
      if (batch) formed.push(batch)
    }
    return [...again, ...formed]
  })
}

/** For each lane a loose index scan: one probe for each consumer, and at most a hundred rows of each. */
async function readWaiting(tx: Tx, cursors: Map<Lane, string>): Promise<WaitingLetters[]> {
  const from = lanes.map((lane) => cursors.get(lane) ?? firstConsumerId)
  const { rows } = await sql<WaitingLetters>`
    select known.lane, head.consumer_id as "consumerId", waiting.letters
    from unnest(${[...lanes]}::text[], ${from}::uuid[]) as known (lane, first_id) cross join lateral (
      with recursive head as (
        (select consumer_id from work_waiting
          where lane = known.lane and consumer_id >= known.first_id order by consumer_id limit 1)
        union all
        select next.consumer_id from head cross join lateral (
          select consumer_id from work_waiting
          where lane = known.lane and consumer_id > head.consumer_id
          order by consumer_id limit 1
        ) next
      )
      select consumer_id from head limit ${consumersMax}
    ) head cross join lateral (
      select count(*)::integer as letters from (
        select from work_waiting
        where lane = known.lane and consumer_id = head.consumer_id
        order by seq limit ${lettersCountedMax}
      ) first
    ) waiting`.execute(tx)
  for (const lane of lanes) {
    const read = rows.filter((row) => row.lane === lane)
    if (read.length < consumersMax) cursors.delete(lane)
    else cursors.set(lane, read.at(-1)!.consumerId)
  }
  return rows
}

/** Rows of work_waiting are never updated, so a ctid names the same row until this transaction deletes it. */
async function formBatch(
  tx: Tx,
  { lane, queue, isFirst, shares }: BatchChoice,
): Promise<OfferedBatch | undefined> {
  const { rows } = await sql<OfferedBatch>`
    with gone as (
      delete from work_waiting where ctid = any (array(
        select picked.ctid from unnest(
          ${shares.map(({ consumerId }) => consumerId)}::uuid[], ${shares.map(({ letters }) => letters)}::integer[]
        ) as share (consumer_id, letters) cross join lateral (
          select waiting.ctid from work_waiting waiting
          where waiting.lane = ${lane} and waiting.consumer_id = share.consumer_id
          order by waiting.seq limit share.letters
        ) picked
      )) returning consumer_id, seq, print_job_key, since
    )
    insert into work_batch (lane, queue, is_first, due_at, waiting_since, consumer_ids, print_job_keys)
    select ${lane}, ${queue}, ${isFirst}, now() + ${offeredSeconds[queue]}::integer * interval '1 second',
      min(since), array_agg(distinct consumer_id), array_agg(print_job_key order by seq)
    from gone having count(*) > 0
    returning ${offeredBatch}`.execute(tx)
  return rows[0]
}

async function offerAgain(tx: Tx, pausedQueues: readonly WorkQueue[]): Promise<OfferedBatch[]> {
  const { rows } = await sql<OfferedBatch>`
    update work_batch set
      epoch = epoch + 1,
      due_at = now() + case queue when 'slow' then ${offeredSeconds.slow}::integer else ${offeredSeconds.letters}::integer end
        * interval '1 second'
    where due_at <= now() and leased_until is null and queue <> all (${[...pausedQueues]}::text[])
    returning ${offeredBatch}`.execute(tx)
  return rows
}

const offeredBatch = sql.raw(`
  id, epoch, queue, lane, is_first as "isFirst", cardinality(print_job_keys) as letters,
  case when cardinality(consumer_ids) = 1 then consumer_ids[1] end as "consumerId"`)

async function countOffered(tx: Tx): Promise<Map<string, number>> {
  const { rows } = await sql<{ queue: string; batches: number }>`
    select queue, count(*)::integer as batches from work_batch where leased_until is null group by queue`.execute(
    tx,
  )
  return new Map(rows.map(({ queue, batches }) => [queue, batches]))
}

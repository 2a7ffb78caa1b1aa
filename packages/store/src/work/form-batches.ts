import type { BatchChoice, SpentTime, WaitingLetters } from '@despatch/domain/work/choose-batches'
import { type Lane, type WorkQueue, workQueues } from '@despatch/domain/work/lane'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { transact } from '../transact.ts'
import { moveDueWork } from './later.ts'
import { createMarks, type Marks } from './marks.ts'
import { readWaiting } from './read-waiting.ts'
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
  /** Kept between passes. */
  marks?: Marks
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
const dueMax = 1_000

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
  {
    offeredMax,
    pausedQueues,
    marks = createMarks(),
    onBusy = () => {},
    spend,
    choose,
  }: FormOptions,
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
    for (const choice of choose(await readWaiting(tx, marks), room)) {
      const batch = await formBatch(tx, choice, marks)
      if (batch) formed.push(batch)
    }
    return [...again, ...formed]
  })
}

/** Rows of work_waiting are never updated, so a ctid names the same row until this transaction deletes it. */
async function formBatch(
  tx: Tx,
  { lane, queue, isFirst, shares }: BatchChoice,
  marks: Marks,
): Promise<OfferedBatch | undefined> {
  const { rows } = await sql<OfferedBatch>`
    with gone as (
      delete from work_waiting where ctid = any (array(
        select picked.ctid from unnest(
          ${shares.map(({ consumerId }) => consumerId)}::uuid[], ${shares.map(({ letters }) => letters)}::integer[],
          ${shares.map(({ consumerId }) => marks.of(lane, consumerId))}::bigint[]
        ) as share (consumer_id, letters, mark) cross join lateral (
          select waiting.ctid from work_waiting waiting
          where waiting.lane = ${lane} and waiting.consumer_id = share.consumer_id and waiting.seq > share.mark
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

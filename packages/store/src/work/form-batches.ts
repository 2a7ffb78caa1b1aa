import type { BatchChoice, SpentTime, WaitingLetters } from '@despatch/domain/work/choose-batches'
import { type Lane, type WorkQueue, workQueues } from '@despatch/domain/work/lane'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { moveDueWork } from './later.ts'
import { createMarks, type Marks } from './marks.ts'
import { readWaiting } from './read-waiting.ts'
import { deleteSpent } from './spent.ts'

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
    // A crash of the database may lose the last batches; their letters are then in work_waiting again. A bitmap would have
    // all rows of a consumer, of which a pass needs the first hundred.
    const { rows } = await sql<{ isMine: boolean; drawn: number }>`
      select pg_try_advisory_xact_lock(${formingLock}) as "isMine", set_config('synchronous_commit', 'off', true),
        set_config('enable_bitmapscan', 'off', true),
        (select last_value from work_waiting_seq_seq) as drawn`.execute(tx)
    const { isMine, drawn } = rows[0]!
    if (!isMine) {
      onBusy()
      return []
    }
    await moveDueWork(tx, dueMax)
    const { spent, again, offered } = await lookBack(tx, pausedQueues)
    spend(spent)
    const room = Object.fromEntries(
      workQueues.map((queue) => [queue, Math.max(0, offeredMax[queue] - (offered[queue] ?? 0))]),
    ) as Record<WorkQueue, number>
    if (!workQueues.some((queue) => room[queue] > 0)) return again
    const choices = choose(await readWaiting(tx, marks, drawn), room)
    return [...again, ...(await formChosen(tx, choices, marks))]
  })
}

type LookBack = {
  /** What ended batches took. */
  spent: SpentTime[]
  /** Batches that no worker took in time, under a new epoch. */
  again: OfferedBatch[]
  /** How many batches of each queue no worker has taken. */
  offered: Partial<Record<WorkQueue, number>>
}

async function lookBack(tx: Tx, pausedQueues: readonly WorkQueue[]): Promise<LookBack> {
  const { rows } = await sql<LookBack>`
    with spent as (${deleteSpent}), again as (
      update work_batch batch set epoch = epoch + 1, due_at = ${dueAt}
      where due_at <= now() and leased_until is null and queue <> all (${[...pausedQueues]}::text[])
      returning ${offeredBatch}
    ), offered as (
      select queue, count(*) as batches from work_batch where leased_until is null group by queue
    )
    select (select coalesce(json_agg(spent), '[]') from spent) as spent,
      (select coalesce(json_agg(again), '[]') from again) as again,
      (select coalesce(json_object_agg(queue, batches), '{}') from offered) as offered`.execute(tx)
  return rows[0]!
}

/**
 * Moves the letters of each choice from the waiting work into a batch, all in one statement. Rows of work_waiting are
 * never updated, so a ctid names the same row until this transaction deletes it.
 */
async function formChosen(
  tx: Tx,
  choices: readonly BatchChoice[],
  marks: Marks,
): Promise<OfferedBatch[]> {
  if (choices.length === 0) return []
  const shares = withSkips(choices)
  const { rows } = await sql<OfferedBatch>`
    with choice as (
      select * from unnest(${choices.map(({ lane }) => lane)}::text[], ${choices.map(({ queue }) => queue)}::text[],
        ${choices.map(({ isFirst }) => isFirst)}::boolean[]) with ordinality as choice (lane, queue, is_first, place)
    ), picked as (
      select share.place, waiting.row from unnest(
        ${shares.map(({ place }) => place)}::integer[], ${shares.map(({ lane }) => lane)}::text[],
        ${shares.map(({ consumerId }) => consumerId)}::uuid[], ${shares.map(({ letters }) => letters)}::integer[],
        ${shares.map(({ skip }) => skip)}::integer[],
        ${shares.map(({ lane, consumerId }) => marks.of(lane, consumerId))}::bigint[]
      ) as share (place, lane, consumer_id, letters, skip, mark) cross join lateral (
        select ctid as row from work_waiting
        where lane = share.lane and consumer_id = share.consumer_id and seq > share.mark
        order by seq offset share.skip limit share.letters
      ) waiting
    ), gone as (
      delete from work_waiting where ctid = any (array(select row from picked))
      returning ctid as row, consumer_id, seq, print_job_key, since
    )
    insert into work_batch as batch (lane, queue, is_first, due_at, waiting_since, consumer_ids, print_job_keys)
    select batch.lane, batch.queue, batch.is_first, ${dueAt}, min(gone.since), array_agg(distinct gone.consumer_id),
      array_agg(gone.print_job_key order by gone.seq)
    from gone join picked using (row) join choice batch using (place)
    group by batch.place, batch.lane, batch.queue, batch.is_first
    order by batch.place
    returning ${offeredBatch}`.execute(tx)
  return rows
}

/** Returns the shares of all choices, each with how many letters of its consumer are in the choices before. */
function withSkips(choices: readonly BatchChoice[]) {
  const taken = new Map<string, number>()
  return choices.flatMap(({ lane, shares }, index) =>
    shares.map(({ consumerId, letters }) => {
      const skip = taken.get(`${lane} ${consumerId}`) ?? 0
      taken.set(`${lane} ${consumerId}`, skip + letters)
      return { place: index + 1, lane, consumerId, letters, skip }
    }),
  )
}

/** SQL: when a `batch` is offered again if no worker has taken it. */
const dueAt = sql`now() + case batch.queue
  when 'slow' then ${offeredSeconds.slow}::integer else ${offeredSeconds.letters}::integer end * interval '1 second'`

const offeredBatch = sql.raw(`
  id, epoch, queue, lane, is_first as "isFirst", cardinality(print_job_keys) as letters,
  case when cardinality(consumer_ids) = 1 then consumer_ids[1] end as "consumerId"`)

import { prepared } from '@despatch/postgres/prepared'
import { transact } from '@despatch/postgres/transact'
import type { QueueName } from '@despatch/queue/queues'
import { sql } from 'kysely'
import type { BatchChoice, Room, SpentTime, WaitingSubjects } from './choose-batches.ts'
import { type Db, type Kind, lanesOf, queuesOf, type Tx, tablesOf } from './kind.ts'
import { moveDueWork } from './later.ts'
import { createMarks, type Marks } from './marks.ts'
import { readWaiting } from './read-waiting.ts'

/** A batch to give to its queue. The epoch tells this offer of the batch from those before. */
export type OfferedBatch = {
  id: string
  epoch: number
  queue: QueueName
  lane: string
  isFirst: boolean
  /** The consumer of all its subjects; null if there are several. */
  consumerId: string | null
  /** How many subjects it has. */
  size: number
}

export type FormOptions = {
  /** Queues whose batches are not offered again, although no worker takes them. */
  pausedQueues: readonly QueueName[]
  /** Kept between passes. */
  marks?: Marks
  /** Called if nothing is formed because another process forms batches at this moment. */
  onBusy?: () => void
  spend: (spent: readonly SpentTime[]) => void
  choose: (waiting: readonly WaitingSubjects[], room: Room) => BatchChoice[]
}

/** Any number that no other advisory lock of the system uses. */
const formingLock = 7_341_902
const dueMax = 1_000

/**
 * Returns true if there is something to form: subjects that wait or are due, or batches that no worker took in time. One
 * statement without locks, for the passes in which there is nothing to do.
 */
export async function hasWork(db: Db, kind: Kind): Promise<boolean> {
  const { waiting, later, batch } = tablesOf(kind)
  const { rows } = await sql<{ hasWork: boolean }>`${prepared(`has-work ${kind.name}`)}
    select exists (select from ${waiting})
      or exists (select from ${later} where due_at <= now())
      or exists (select from ${batch} where due_at <= now() and leased_until is null) as "hasWork"`.execute(
    db,
  )
  return rows[0]!.hasWork
}

/**
 * Forms batches of waiting subjects as `choose` decides, and returns those to give to their queues: the new ones, and
 * those that no worker took in time, under a new epoch. Subjects are moved from those that wait into a batch in one
 * transaction, so each is in one of the two. One process forms at a time; another returns nothing at once.
 */
export async function formBatches(
  db: Db,
  kind: Kind,
  {
    pausedQueues,
    marks = createMarks(lanesOf(kind)),
    onBusy = () => {},
    spend,
    choose,
  }: FormOptions,
): Promise<OfferedBatch[]> {
  return transact(db, async (tx) => {
    // A crash of the database may lose the last batches; their subjects then wait again. A bitmap would have all rows of a
    // consumer, of which a pass needs the first hundred.
    const { rows } = await sql<{
      isMine: boolean
      drawn: number
    }>`${prepared(`begin-forming ${kind.name}`)}
      select pg_try_advisory_xact_lock(${formingLock}, hashtext(${kind.name})) as "isMine",
        set_config('synchronous_commit', 'off', true), set_config('enable_bitmapscan', 'off', true),
        (select last_value from ${tablesOf(kind).waitingSeq}) as drawn`.execute(tx)
    const { isMine, drawn } = rows[0]!
    if (!isMine) {
      onBusy()
      return []
    }
    await moveDueWork(tx, kind, dueMax)
    const { spent, again, offered } = await lookBack(tx, kind, pausedQueues)
    spend(spent)
    const room = Object.fromEntries(
      queuesOf(kind).map(({ name, offeredMax }) => [
        name,
        Math.max(0, offeredMax - (offered[name] ?? 0)),
      ]),
    )
    if (!Object.values(room).some((left) => left > 0)) return again
    const choices = choose(await readWaiting(tx, kind, marks, drawn), room)
    return [...again, ...(await formChosen(tx, kind, choices, marks))]
  })
}

type LookBack = {
  /** What ended batches took. */
  spent: SpentTime[]
  /** Batches that no worker took in time, under a new epoch. */
  again: OfferedBatch[]
  /** How many batches of each queue no worker has taken. */
  offered: Partial<Record<string, number>>
}

async function lookBack(tx: Tx, kind: Kind, pausedQueues: readonly QueueName[]): Promise<LookBack> {
  const { batch, spent } = tablesOf(kind)
  const { rows } = await sql<LookBack>`${prepared(`look-back ${kind.name}`)}
    with spent as (
      delete from ${spent} returning lane, consumer_id as "consumerId", size, ms
    ), again as (
      update ${batch} batch set epoch = epoch + 1, due_at = ${dueAt(kind)}
      where due_at <= now() and leased_until is null and queue <> all (${[...pausedQueues]}::text[])
      returning ${offeredBatch}
    ), offered as (
      select queue, count(*) as batches from ${batch} where leased_until is null group by queue
    )
    select (select coalesce(json_agg(spent), '[]') from spent) as spent,
      (select coalesce(json_agg(again), '[]') from again) as again,
      (select coalesce(json_object_agg(queue, batches), '{}') from offered) as offered`.execute(tx)
  return rows[0]!
}

/**
 * Moves the subjects of each choice from those that wait into a batch, all in one statement. Waiting rows are never
 * updated, so a ctid names the same row until this transaction deletes it. The subqueries hide how many choices there
 * are: otherwise a plan for each number seems cheaper than the one that is kept.
 */
async function formChosen(
  tx: Tx,
  kind: Kind,
  choices: readonly BatchChoice[],
  marks: Marks,
): Promise<OfferedBatch[]> {
  if (choices.length === 0) return []
  const { waiting, batch } = tablesOf(kind)
  const shares = withSkips(choices)
  const { rows } = await sql<OfferedBatch>`${prepared(`form-batches ${kind.name}`)}
    with choice as (
      select * from unnest((select ${choices.map(({ lane }) => lane)}::text[]), ${choices.map(({ queue }) => queue)}::text[],
        ${choices.map(({ isFirst }) => isFirst)}::boolean[]) with ordinality as choice (lane, queue, is_first, place)
    ), picked as (
      select share.place, waiting.row from unnest(
        (select ${shares.map(({ place }) => place)}::integer[]), ${shares.map(({ lane }) => lane)}::text[],
        ${shares.map(({ consumerId }) => consumerId)}::uuid[], ${shares.map(({ size }) => size)}::integer[],
        ${shares.map(({ skip }) => skip)}::integer[],
        ${shares.map(({ lane, consumerId }) => marks.of(lane, consumerId))}::bigint[]
      ) as share (place, lane, consumer_id, size, skip, mark) cross join lateral (
        select ctid as row from ${waiting}
        where lane = share.lane and consumer_id = share.consumer_id and seq > share.mark
        order by seq offset share.skip limit share.size
      ) waiting
    ), gone as (
      delete from ${waiting} where ctid = any (array(select row from picked))
      returning ctid as row, consumer_id, seq, subject, version, since
    )
    insert into ${batch} as batch (lane, queue, is_first, due_at, waiting_since, consumer_ids, subjects, versions)
    select batch.lane, batch.queue, batch.is_first, ${dueAt(kind)}, min(gone.since), array_agg(distinct gone.consumer_id),
      array_agg(gone.subject order by gone.seq), array_agg(gone.version order by gone.seq)
    from gone join picked using (row) join choice batch using (place)
    group by batch.place, batch.lane, batch.queue, batch.is_first
    order by batch.place
    returning ${offeredBatch}`.execute(tx)
  return rows
}

/** Returns the shares of all choices, each with how many subjects of its consumer are in the choices before. */
function withSkips(choices: readonly BatchChoice[]) {
  const taken = new Map<string, number>()
  return choices.flatMap(({ lane, shares }, index) =>
    shares.map(({ consumerId, size }) => {
      const skip = taken.get(`${lane} ${consumerId}`) ?? 0
      taken.set(`${lane} ${consumerId}`, skip + size)
      return { place: index + 1, lane, consumerId, size, skip }
    }),
  )
}

/** SQL: when a `batch` is offered again if no worker has taken it. */
const dueAt = ({ queues: { ordinary, slow } }: Kind) => sql`now() + case batch.queue
  when ${slow.name} then ${slow.offeredSeconds}::integer else ${ordinary.offeredSeconds}::integer end * interval '1 second'`

const offeredBatch = sql.raw(`
  id, epoch, queue, lane, is_first as "isFirst", cardinality(subjects) as size,
  case when cardinality(consumer_ids) = 1 then consumer_ids[1] end as "consumerId"`)

import { prepared } from '@despatch/postgres/prepared'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { SpentTime } from './choose-batches.ts'
import { type Db, type Kind, type Leased, type Placed, tablesOf } from './kind.ts'

/** A batch that a worker has leased: `epoch` tells this worker's lease from those before and after. */
export type BatchLease = { id: string; epoch: number }

/** How long the oldest subject of a batch waited for a worker. `isFirst`: as in `BatchChoice`. */
export type BatchWait = { lane: string; isFirst: boolean; seconds: number }

export type TakenBatch<Subject> = { lease: BatchLease; subjects: Subject[]; wait: BatchWait }

/** A batch is given up this long after its lease expired, so that its worker's last commit is not overtaken. */
const graceSeconds = 2
/**
 * SQL: the commit does not wait for the disk. A crash of the database may lose it: then the batch is as it was before,
 * and the outcomes of its subjects decide what is left to do.
 */
const forgettable = sql.raw("set_config('synchronous_commit', 'off', true) = 'off'")

/**
 * Leases a batch for this worker. An offer is taken once: returns undefined if another worker has the batch, or if it
 * was offered again under a later epoch. Leaves out subjects that have another version than their place: they have
 * moved on, and whatever moved them has given them another place if they need one. Each outcome of a subject names its
 * version and raises it, so that the first outcome wins and each later one changes nothing.
 */
export async function takeBatch<Subject>(
  db: Db,
  kind: Kind<Subject>,
  { id, epoch }: BatchLease,
  leaseSeconds: number,
): Promise<TakenBatch<Subject> | undefined> {
  return transact(db, async (tx) => {
    const taken = await sql<
      BatchWait & Placed & { epoch: number }
    >`${prepared(`take-batch ${kind.name}`)}
      update ${tablesOf(kind).batch} set
        epoch = epoch + 1, leased_until = now() + ${leaseSeconds}::integer * interval '1 second'
      where id = ${id} and epoch = ${epoch} and leased_until is null and ${forgettable}
      returning epoch, subjects, versions, lane, is_first as "isFirst",
        extract(epoch from clock_timestamp() - waiting_since)::double precision as seconds`.execute(
      tx,
    )
    const [batch] = taken.rows
    if (!batch) return undefined
    const { epoch: leased, subjects, versions, ...wait } = batch
    const read = await kind.read(tx, { subjects, versions })
    return { lease: { id, epoch: leased }, subjects: read, wait }
  })
}

/** Renews the lease. Returns false if the batch is no longer this worker's. */
export async function renewBatch(
  db: Db,
  kind: Kind,
  { id, epoch }: BatchLease,
  leaseSeconds: number,
): Promise<boolean> {
  const { rows } = await sql`
    update ${tablesOf(kind).batch} set leased_until = now() + ${leaseSeconds}::integer * interval '1 second'
    where id = ${id} and epoch = ${epoch} and leased_until is not null and ${forgettable}
    returning id`.execute(db)
  return rows.length === 1
}

/** SQL: the lease of a batch expired, and nobody renews it any more. */
const isOver = sql.raw(`leased_until < now() - ${graceSeconds}::integer * interval '1 second'`)

/**
 * Ends a batch, and records what its subjects took, for the scheduler's accounts. Its worker has committed an outcome of
 * each subject that it took, or has seen one by another. A lost record costs fairness only.
 */
export async function endBatch(
  db: Db,
  kind: Kind,
  { id, epoch }: BatchLease,
  spent: readonly SpentTime[] = [],
): Promise<void> {
  const tables = tablesOf(kind)
  await sql`${prepared(`end-batch ${kind.name}`)}
    with spent as (
      insert into ${tables.spent} (lane, consumer_id, size, ms)
      select * from unnest(${spent.map(({ lane }) => lane)}::text[],
        ${spent.map(({ consumerId }) => consumerId)}::uuid[],
        ${spent.map(({ size }) => size)}::integer[], ${spent.map(({ ms }) => ms)}::double precision[])
    )
    delete from ${tables.batch}
    where id = ${id} and epoch = ${epoch} and leased_until is not null and ${forgettable}`.execute(
    db,
  )
}

/**
 * Gives up the batches whose lease expired: their workers died or lost them. Their subjects without an outcome wait
 * again. Returns how many. Several processes may do so at once.
 */
export async function giveUpBatches<Batch extends Placed>(
  db: Db,
  kind: Leased<Batch>,
): Promise<number> {
  return transact(db, async (tx) => {
    const gone = await sql<Batch>`
      delete from ${tablesOf(kind).batch} where ${isOver} returning *`.execute(tx)
    return kind.interrupt(tx, gone.rows)
  })
}

/** Returns the time of the database, and whether there are batches to give up. */
export async function findExpired(
  db: Db,
  kind: Pick<Kind, 'name'>,
): Promise<{ nowMs: number; isExpired: boolean }> {
  const { rows } = await sql<{ nowMs: number; isExpired: boolean }>`
    select (extract(epoch from now()) * 1000)::double precision as "nowMs",
      exists (select from ${tablesOf(kind).batch} where ${isOver}) as "isExpired"`.execute(db)
  return rows[0]!
}

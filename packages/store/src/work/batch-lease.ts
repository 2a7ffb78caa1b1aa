import type { Lane } from '@despatch/domain/work/lane'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { laneOfJob, type TakenStep } from '../print-job/steps.ts'

/** A batch that a worker has leased: `epoch` tells this worker's lease from those before and after. */
export type BatchLease = { id: string; epoch: number }

/** How long the oldest letter of a batch waited for a worker. `isFirst`: as in `BatchChoice`. */
export type BatchWait = { lane: Lane; isFirst: boolean; seconds: number }

export type TakenBatch = { lease: BatchLease; steps: TakenStep[]; wait: BatchWait }

/** A batch is given up this long after its lease expired, so that its worker's last commit is not overtaken. */
const graceSeconds = 2

/**
 * SQL: the commit does not wait for the disk. A crash of the database may lose it: then the batch is as it was before,
 * and the outcomes of its letters decide what is left to do.
 */
const forgettable = sql.raw("set_config('synchronous_commit', 'off', true) = 'off'")

/** SQL: the letters of a leased `batch` that are as they were when it was taken, as `job`. */
const withoutOutcome = sql.raw(`
  unnest(batch.print_job_keys, batch.letter_epochs) as letter (key, epoch)
  join print_job job on job.key = letter.key and job.step_epoch = letter.epoch
  where (job.status in ('QUARANTINE', 'VALIDATING')) is true and job.parked_at is null and job.deleted_at is null`)

/**
 * Leases a batch for this worker, with all its letters. An offer is taken once: returns undefined if another worker has
 * the batch, or if it was offered again under a later epoch. Leaves out letters that have moved on, were deleted or are
 * parked. Each outcome of a letter names the epoch that the letter has now and raises it, so that the first outcome wins
 * and each later one changes nothing.
 */
export async function takeBatch(
  db: Db,
  { id, epoch }: BatchLease,
  leaseSeconds: number,
): Promise<TakenBatch | undefined> {
  return transact(db, async (tx) => {
    const taken = await sql<BatchWait & { epoch: number; keys: string[]; epochs: number[] }>`
      update work_batch batch set
        epoch = epoch + 1,
        leased_until = now() + ${leaseSeconds}::integer * interval '1 second',
        letter_epochs = array(
          select coalesce(job.step_epoch, -1)
          from unnest(batch.print_job_keys) with ordinality as letter (key, place)
          left join print_job job on job.key = letter.key
          order by letter.place)
      where id = ${id} and epoch = ${epoch} and leased_until is null and ${forgettable}
      returning epoch, print_job_keys as keys, letter_epochs as epochs, lane, is_first as "isFirst",
        extract(epoch from clock_timestamp() - waiting_since)::double precision as seconds`.execute(
      tx,
    )
    const [batch] = taken.rows
    if (!batch) return undefined
    const { keys, epochs, epoch: leased, ...wait } = batch
    const { rows: steps } = await sql<TakenStep>`
      select job.key, job.consumer_id as "consumerId", job.status, job.step_epoch as epoch,
        job.step_starts + 1 as starts, job.step_failures as failures,
        job.standard_params as "standardParams", job.custom_params as "customParams", job.created_at as "submittedAt",
        (extract(epoch from now() - job.created_at) * 1000)::double precision as "ageMs",
        contract.production, contract.supplied_file_key as "suppliedFileKey", contract.plex,
        contract.prints_handling_instruction as "printsHandlingInstruction", contract.pages_max as "pagesMax",
        contract.rule_set as "ruleSet", contract.address_placement as "addressPlacement", contract.marks,
        contract.strict, contract.refused_rules as "refusedRules",
        'D' || job.document_number as "documentId", job.trace_context as "traceContext",
        coalesce((
          select json_agg(json_build_object('position', position, 'fileId', file_id, 'source', source,
            'uploadId', upload_id, 'sha256', encode(sha256, 'hex'), 'bytes', bytes, 'mediaType', media_type,
            'pinned', pinned_at is not null) order by position)
          from print_job_file where print_job_key = job.key), '[]') as files
      from unnest(${keys}::uuid[], ${epochs}::integer[]) as letter (key, epoch)
      join print_job job on job.key = letter.key and job.step_epoch = letter.epoch
      join contract on contract.id = job.contract_id
      -- "is true" makes the planner look up the keys instead of reading all rows of the status
      where (job.status in ('QUARANTINE', 'VALIDATING')) is true and job.deleted_at is null and job.parked_at is null`.execute(
      tx,
    )
    return { lease: { id, epoch: leased }, steps, wait }
  })
}

/** Renews the lease. Returns false if the batch is no longer this worker's. */
export async function renewBatch(
  db: Db,
  { id, epoch }: BatchLease,
  leaseSeconds: number,
): Promise<boolean> {
  const { rows } = await sql`
    update work_batch set leased_until = now() + ${leaseSeconds}::integer * interval '1 second'
    where id = ${id} and epoch = ${epoch} and leased_until is not null and ${forgettable}
    returning id`.execute(db)
  return rows.length === 1
}

/**
 * Ends a batch of which each letter has an outcome or has moved on. Otherwise its lease expires, and the letters without
 * an outcome wait again.
 */
export async function endBatch(db: Db, { id, epoch }: BatchLease): Promise<void> {
  await sql`
    delete from work_batch batch
    where id = ${id} and epoch = ${epoch} and leased_until is not null and ${forgettable}
      and not exists (select from ${withoutOutcome})`.execute(db)
}

/**
 * Gives up the batches whose lease expired: their workers died or lost them. Their letters without an outcome wait again,
 * each alone in its batch, so that a letter that kills workers is found. Returns how many. Several sweeps may run at
 * once.
 */
export async function giveUpBatches(db: Db): Promise<number> {
  const { rows } = await sql<{ key: string }>`
    with batch as (
      delete from work_batch where leased_until < now() - ${graceSeconds}::integer * interval '1 second'
      returning print_job_keys, letter_epochs
    ), interrupted as materialized (
      select job.key from batch cross join ${withoutOutcome} order by job.key for no key update of job
    ), job as (
      update print_job set step_epoch = step_epoch + 1, step_starts = step_starts + 1
      from interrupted where print_job.key = interrupted.key
      returning print_job.key, print_job.consumer_id, print_job.step_starts, print_job.step_failures
    ), woken as (
      insert into work_waiting (lane, consumer_id, print_job_key) select ${laneOfJob}, consumer_id, key from job
    )
    select key from job`.execute(db)
  return rows.length
}

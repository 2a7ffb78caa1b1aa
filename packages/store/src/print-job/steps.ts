import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import type { CustomParam, StandardParams } from '@despatch/domain/print-job/params'
import type { Lane } from '@despatch/domain/work/lane'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { AddressPlacement, Production } from '../schema.ts'
import type { Plex } from '../schema-fulfilment.ts'
import { transact } from '../transact.ts'

/** The statuses in which a print job waits for the pipeline. */
export type MovingStatus = 'QUARANTINE' | 'VALIDATING'

/** A print job whose step this worker has leased, with what a stage needs to know about it. */
export type TakenStep = {
  key: string
  consumerId: string
  status: MovingStatus
  epoch: number
  /** How often this step has been leased without an outcome, including this time. */
  starts: number
  failures: number
  standardParams: StandardParams
  customParams: CustomParam[] | null
  submittedAt: Date
  /** Milliseconds since its submission, by the database's clock. */
  ageMs: number
  production: Production
  suppliedFileKey: string | null
  printsHandlingInstruction: boolean
  plex: Plex
  pagesMax: number
  /** The id of the contract's preflight rule set. */
  ruleSet: string
  addressPlacement: AddressPlacement
  marks: boolean
  /** Whether every finding about the address refuses the letter. */
  strict: boolean
  /** Otherwise, the numbers of the rules whose findings do. */
  refusedRules: string[]
  /** The document's id, which is printed in its marks. */
  documentId: string
  /** W3C traceparent that its spans continue. Null: not traced. */
  traceContext: string | null
  files: StepFile[]
}

export type StepFile = {
  position: number
  fileId: string
  source: 'upload' | 'custom-param'
  uploadId: string | null
  sha256: string | null
  bytes: number | null
  mediaType: string | null
  pinned: boolean
}

/** The sweep ignores a step for this long after its lease expires, so that it does not overtake a slow commit. */
const graceSeconds = 2

/** SQL: the lane of a print job `job`. One that failed or was interrupted in its step is alone in its batch. */
export const laneOfJob = sql.raw(`
  case when job.step_failures > 0 or job.step_starts > 0 then 'slow'
    when exists (select from print_job_file where print_job_key = job.key) then 'files' else 'plain' end`)

/** How long the oldest letter of a batch waited for a worker. `isFirst`: as in `BatchChoice`. */
export type BatchWait = { lane: Lane; isFirst: boolean; seconds: number }

/**
 * Leases the steps of the letters of a batch for this worker, and ends the batch: a batch is taken once. Leaves out
 * letters that have moved on, were deleted, are parked or are leased by another worker. Every later write of the worker
 * names the epoch; a write that comes too late changes nothing. `wait` is undefined if the batch was taken before.
 */
export async function takeBatch(
  db: Db,
  batch: { id: string; epoch: number },
  leaseSeconds: number,
): Promise<{ steps: TakenStep[]; wait: BatchWait | undefined }> {
  return transact(db, async (tx) => {
    const { rows } = await sql<BatchWait & { keys: string[] }>`
      delete from work_batch where id = ${batch.id} and epoch = ${batch.epoch}
      returning print_job_keys as keys, lane, is_first as "isFirst",
        extract(epoch from clock_timestamp() - waiting_since)::double precision as seconds`.execute(
      tx,
    )
    const [{ keys, ...wait } = { keys: [] }] = rows
    const steps = await takeSteps(tx, keys, leaseSeconds)
    return { steps, wait: 'lane' in wait ? wait : undefined }
  })
}

/** Leases the steps of these print jobs, as `takeBatch` does. */
export async function takeSteps(
  db: Db,
  keys: readonly string[],
  leaseSeconds: number,
): Promise<TakenStep[]> {
  if (keys.length === 0) return []
  const { rows } = await transact(db, (tx) =>
    sql<TakenStep>`
    update print_job job set
      step_epoch = step_epoch + 1,
      step_starts = step_starts + 1,
      lease_until = now() + ${leaseSeconds}::integer * interval '1 second',
      next_check_at = now() + ${leaseSeconds + graceSeconds}::integer * interval '1 second'
    from contract
    where job.key = any (${[...keys].sort()}::uuid[])
      -- "is true" makes the planner look up the keys instead of reading all rows of the status
      and (job.status in ('QUARANTINE', 'VALIDATING')) is true
      and job.deleted_at is null
      and job.parked_at is null
      and (job.lease_until is null or job.lease_until < now())
      and contract.id = job.contract_id
    returning job.key, job.consumer_id as "consumerId", job.status, job.step_epoch as epoch,
      job.step_starts as starts, job.step_failures as failures,
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
        from print_job_file where print_job_key = job.key), '[]') as files`.execute(tx),
  )
  return rows
}

type LeasedStepRef = { key: string; epoch: number }

/** The order in which rows of print_job are locked. */
export const byKey = (one: { key: string }, other: { key: string }) =>
  one.key < other.key ? -1 : 1

/** Renews the leases of steps. Returns the keys of those that are still this worker's. */
export async function renewSteps(
  db: Db,
  steps: readonly LeasedStepRef[],
  leaseSeconds: number,
): Promise<string[]> {
  const ordered = steps.toSorted(byKey)
  const { rows } = await sql<{ key: string }>`
    update print_job job set
      lease_until = now() + ${leaseSeconds}::integer * interval '1 second',
      next_check_at = now() + ${leaseSeconds + graceSeconds}::integer * interval '1 second'
    from unnest(${ordered.map(({ key }) => key)}::uuid[], ${ordered.map(({ epoch }) => epoch)}::integer[])
      as held (key, epoch)
    where job.key = held.key and job.step_epoch = held.epoch and job.lease_until is not null
    returning job.key`.execute(db)
  return rows.map(({ key }) => key)
}

export type Postponement = {
  /** The wake-up becomes due earlier if this dependency recovers. */
  waitsFor?: Dependency | undefined
  /** The start still counts, because the worker has no outcome. */
  keepsStarts?: boolean
}

/**
 * Postpones a step by `seconds`. A wait is not a failure and costs no attempt: this start is not counted. Earlier starts
 * still count, since their workers died.
 */
export async function postponeStep(
  db: Db,
  { key, epoch }: LeasedStepRef,
  seconds: number,
  { waitsFor, keepsStarts = false }: Postponement = {},
): Promise<boolean> {
  const { rows } = await transact(db, (tx) =>
    sql<{ key: string }>`
    with job as (
      update print_job set
        step_epoch = step_epoch + 1,
        step_starts = greatest(step_starts - ${keepsStarts ? 0 : 1}::integer, 0),
        lease_until = null,
        next_check_at = null
      where key = ${key} and step_epoch = ${epoch}
      returning key, consumer_id, step_starts, step_failures
    ), later as (
      insert into work_later (print_job_key, lane, consumer_id, due_at, waits_for)
      select key, ${laneOfJob}, consumer_id,
        now() + ${seconds}::double precision * interval '1 second', ${waitsFor ?? null}
      from job
      ${rescheduled}
    )
    select key from job`.execute(tx),
  )
  return rows.length === 1
}

/** SQL: a print job waits once. */
const rescheduled = sql`on conflict (print_job_key) do update
  set lane = excluded.lane, due_at = excluded.due_at, waits_for = excluded.waits_for`

/**
 * Subtracts one start from a step that its worker could not postpone in time. The worker is alive and lost only the
 * database, so the start is no sign of a step that kills workers. If another worker has taken the step since, its start
 * counts.
 */
export async function uncountStart(db: Db, { key, epoch }: LeasedStepRef): Promise<void> {
  await sql`
    update print_job set step_starts = step_starts - 1
    where key = ${key} and step_epoch = ${epoch}::integer + 1 and lease_until is null and step_starts > 0`.execute(
    db,
  )
}

/** Records a failed step, and when to retry it. `failure` is a class of fault, never data of the print job. */
export async function retryStep(
  db: Db,
  { key, epoch }: LeasedStepRef,
  { seconds, failure }: { seconds: number; failure: string },
): Promise<boolean> {
  const { rows } = await transact(db, (tx) =>
    sql<{ key: string }>`
    with job as (
      update print_job set
        step_epoch = step_epoch + 1,
        step_starts = 0,
        step_failures = step_failures + 1,
        step_failure = ${failure},
        lease_until = null,
        next_check_at = null
      where key = ${key} and step_epoch = ${epoch}
      returning key, consumer_id
    ), later as (
      insert into work_later (print_job_key, lane, consumer_id, due_at)
      select key, 'slow', consumer_id, now() + ${seconds}::double precision * interval '1 second' from job
      ${rescheduled}
    )
    select key from job`.execute(tx),
  )
  return rows.length === 1
}

/**
 * Parks a print job for operations after too many failures. Its status does not change: a fault never rejects a print
 * job.
 */
export async function parkStep(
  db: Db,
  { key, epoch }: LeasedStepRef,
  failure: string,
): Promise<boolean> {
  const { rows } = await transact(db, (tx) =>
    sql<{ key: string }>`
    with job as (
      update print_job set
        step_epoch = step_epoch + 1,
        step_failure = ${failure},
        lease_until = null,
        next_check_at = null,
        parked_at = now(),
        event_sequence = event_sequence + 1
      where key = ${key} and step_epoch = ${epoch}
      returning key, event_sequence, status
    ), event as (
      insert into print_job_event (print_job_key, sequence, transition, status, actor, reason)
      select key, event_sequence, 'park', status, 'pipeline', 'held for operations after repeated faults' from job
    )
    select key from job`.execute(tx),
  )
  return rows.length === 1
}

/**
 * Records the hash, size and type of the pinned files of a print job. Changes nothing unless the worker still has the
 * step, which it then keeps until the transaction of `db` ends.
 */
export async function pinFiles(
  db: Db,
  { key, epoch }: LeasedStepRef,
  files: readonly { position: number; sha256: string; bytes: number; mediaType: string }[],
): Promise<void> {
  if (files.length === 0) return
  // A caller may keep more about a file. Only these values go to the database.
  const rows = files.map(({ position, sha256, bytes, mediaType }) => ({
    position,
    sha256,
    bytes,
    mediaType,
  }))
  // The lock keeps another worker from taking the step before this transaction has ended.
  await sql`
    with held as (
      select key from print_job where key = ${key} and step_epoch = ${epoch} for no key update
    )
    update print_job_file file set
      sha256 = decode(row.sha256, 'hex'), bytes = row.bytes, media_type = row."mediaType", pinned_at = now()
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as row (position integer, sha256 text, bytes integer, "mediaType" text)
    where file.print_job_key = (select key from held)
      and file.position = row.position`.execute(db)
}

/**
 * Wakes steps whose lease expired without an outcome: their worker died or lost them. Each waits alone in its batch, so
 * that a letter that kills workers is found. Returns how many. Several sweeps may run at once.
 */
export async function wakeOverdueSteps(
  db: Db,
  { stepsMax }: { stepsMax: number },
): Promise<number> {
  const { rows } = await sql<{ key: string }>`
    with overdue as (
      select key from print_job
      where next_check_at < now() and parked_at is null and status in ('QUARANTINE', 'VALIDATING')
      order by next_check_at limit ${stepsMax} for update skip locked
    ), job as (
      update print_job set step_epoch = step_epoch + 1, lease_until = null, next_check_at = null
      from overdue where print_job.key = overdue.key
      returning print_job.key, print_job.consumer_id, print_job.step_starts, print_job.step_failures
    ), woken as (
      insert into work_waiting (lane, consumer_id, print_job_key) select ${laneOfJob}, consumer_id, key from job
    )
    select key from job`.execute(db)
  return rows.length
}

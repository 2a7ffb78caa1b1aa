import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import type { CustomParam, StandardParams } from '@despatch/domain/print-job/params'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { AddressPlacement, Production } from '../schema.ts'
import type { Plex } from '../schema-fulfilment.ts'
import { transact } from '../transact.ts'
import { checkAfterSeconds } from './check-after.ts'

/** A print job whose step this worker has leased, with what a stage needs to know about it. */
export type TakenStep = {
  key: string
  consumerId: string
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
  /** The document's id, which is printed in its marks. Null before VALIDATING. */
  documentId: string | null
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

/**
 * Leases the steps of print jobs for this worker. Skips print jobs that have moved on, were deleted, are parked or are
 * leased by another worker. The first lease in VALIDATING draws the document's number. The number is printed on the
 * letter, so it must exist before the letter is made, and it stays the same if the letter is made again. Every later
 * write of the worker names the epoch; a write that comes too late changes nothing.
 */
export async function takeSteps(
  db: Db,
  keys: readonly string[],
  status: PrintJobStatus,
  leaseSeconds: number,
): Promise<TakenStep[]> {
  const drawNumber =
    status === 'VALIDATING'
      ? sql`, document_number = coalesce(job.document_number, nextval('document_number'))`
      : sql``
  const { rows } = await transact(db, (tx) =>
    sql<TakenStep>`
    update print_job job set
      step_epoch = step_epoch + 1,
      step_starts = step_starts + 1,
      lease_until = now() + ${leaseSeconds}::integer * interval '1 second',
      next_check_at = now() + ${leaseSeconds + graceSeconds}::integer * interval '1 second'${drawNumber}
    from contract
    where job.key = any (${[...keys].sort()}::uuid[])
      -- "is true" makes the planner look up the keys instead of reading all rows of the status
      and (job.status = ${status}) is true
      and job.deleted_at is null
      and job.parked_at is null
      and (job.lease_until is null or job.lease_until < now())
      and contract.id = job.contract_id
    returning job.key, job.consumer_id as "consumerId", job.step_epoch as epoch, job.step_starts as starts, job.step_failures as failures,
      job.standard_params as "standardParams", job.custom_params as "customParams", job.created_at as "submittedAt",
      (extract(epoch from now() - job.created_at) * 1000)::double precision as "ageMs",
      contract.production, contract.supplied_file_key as "suppliedFileKey", contract.plex,
      contract.prints_handling_instruction as "printsHandlingInstruction", contract.pages_max as "pagesMax",
      contract.rule_set as "ruleSet", contract.address_placement as "addressPlacement", contract.marks,
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

/** Renews the lease of a step. Returns false if the step is no longer this worker's. */
export async function renewStep(
  db: Db,
  { key, epoch }: LeasedStepRef,
  leaseSeconds: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('print_job')
    .set({
      lease_until: sql<Date>`now() + ${leaseSeconds}::integer * interval '1 second'`,
      next_check_at: sql<Date>`now() + ${leaseSeconds + graceSeconds}::integer * interval '1 second'`,
    })
    .where('key', '=', key)
    .where('step_epoch', '=', epoch)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export type Postponement = {
  /** The wake-up becomes due earlier if this dependency recovers. */
  waitsFor?: Dependency | undefined
  /** The start still counts, because the worker has no outcome. */
  keepsStarts?: boolean
}

/** Postpones a step by `seconds`, with a wake-up for that time. A wait is not a failure and costs no attempt. */
export async function postponeStep(
  db: Db,
  { key, epoch }: LeasedStepRef,
  queue: string,
  seconds: number,
  { waitsFor, keepsStarts = false }: Postponement = {},
): Promise<boolean> {
  const { rows } = await transact(db, (tx) =>
    sql<{ key: string }>`
    with job as (
      update print_job set
        step_epoch = step_epoch + 1,
        step_starts = case when ${keepsStarts}::boolean then step_starts else 0 end,
        lease_until = null,
        next_check_at = now() + ${seconds + checkAfterSeconds}::double precision * interval '1 second'
      where key = ${key} and step_epoch = ${epoch}
      returning key, step_epoch
    ), task as (
      insert into outbox (queue, subject, epoch, due_at, waits_for)
      select ${queue}, key, step_epoch, now() + ${seconds}::double precision * interval '1 second', ${waitsFor ?? null}
      from job
    )
    select key from job`.execute(tx),
  )
  return rows.length === 1
}

/**
 * Makes the wake-ups due that wait for a dependency which has recovered, oldest first. Returns how many. Several sweeps
 * may run at once.
 */
export async function wakeWaitingSteps(
  db: Db,
  dependency: Dependency,
  stepsMax: number,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with due as (
      update outbox set due_at = now(), waits_for = null
      where id in (
        select id from outbox where waits_for = ${dependency} order by id limit ${stepsMax} for update skip locked)
      returning id, subject
    ), job as (
      -- if the queue loses the task, the sweep notices soon
      update print_job set next_check_at = now() + ${checkAfterSeconds}::integer * interval '1 second'
      from due where print_job.key = due.subject and print_job.next_check_at is not null and print_job.lease_until is null
    )
    select id from due`.execute(db)
  return rows.length
}

/**
 * Subtracts one start from a step that its worker could not postpone in time. The worker is alive and lost only the
 * database, so the start is no sign of a step that kills workers.
 */
export async function uncountStart(db: Db, key: string): Promise<void> {
  await sql`
    update print_job set step_starts = step_starts - 1 where key = ${key} and step_starts > 0`.execute(
    db,
  )
}

/** Records a failed step, and when to retry it. `failure` is a class of fault, never data of the print job. */
export async function retryStep(
  db: Db,
  { key, epoch }: LeasedStepRef,
  { queue, seconds, failure }: { queue: string; seconds: number; failure: string },
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
        next_check_at = now() + ${seconds + 60}::integer * interval '1 second'
      where key = ${key} and step_epoch = ${epoch}
      returning key, step_epoch
    ), task as (
      insert into outbox (queue, subject, epoch, due_at)
      select ${queue}, key, step_epoch, now() + ${seconds}::double precision * interval '1 second' from job
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
 * lease on the step.
 */
export async function pinFiles(
  db: Db,
  { key, epoch }: LeasedStepRef,
  files: readonly { position: number; sha256: string; bytes: number; mediaType: string }[],
): Promise<void> {
  if (files.length === 0) return
  await sql`
    update print_job_file file set
      sha256 = decode(row.sha256, 'hex'), bytes = row.bytes, media_type = row."mediaType", pinned_at = now()
    from json_to_recordset(${JSON.stringify(files)}::json)
      as row (position integer, sha256 text, bytes integer, "mediaType" text)
    where file.print_job_key = ${key}
      and file.position = row.position
      and exists (select from print_job where key = ${key} and step_epoch = ${epoch})`.execute(db)
}

export type WakeOptions = {
  stepsMax: number
  /** Wakes only steps overdue for at least this many seconds. */
  overdueSeconds?: number
  /**
   * The queues lost their contents before this time: wakes every step that no worker has leased and that was not woken
   * since.
   */
  lostAt?: Date
}

/**
 * Wakes steps that have been overdue for `overdueSeconds`: their wake-up was lost or their worker died. Each gets a new
 * epoch, and therefore a new task. Returns how many. Several sweeps may run at once.
 */
export async function wakeOverdueSteps(
  db: Db,
  queueOfStatus: Readonly<Partial<Record<PrintJobStatus, string>>>,
  { stepsMax, overdueSeconds = 0, lostAt }: WakeOptions,
): Promise<number> {
  const statuses = Object.keys(queueOfStatus)
  if (statuses.length === 0) return 0
  const isDue = lostAt
    ? sql`next_check_at < ${lostAt}::timestamptz + ${checkAfterSeconds}::integer * interval '1 second'
        and (lease_until is null or lease_until < now())`
    : sql`next_check_at < now() - ${overdueSeconds}::integer * interval '1 second'`
  const { rows } = await sql<{ key: string }>`
    with overdue as (
      select key from print_job
      where ${isDue} and parked_at is null and status = any (${statuses}::text[])
      order by next_check_at limit ${stepsMax} for update skip locked
    ), job as (
      update print_job set
        step_epoch = step_epoch + 1,
        lease_until = null,
        next_check_at = now() + ${checkAfterSeconds}::integer * interval '1 second'
      from overdue where print_job.key = overdue.key
      returning print_job.key, print_job.status, print_job.step_epoch
    ), task as (
      insert into outbox (queue, subject, epoch)
      select queue, key, step_epoch from job
      join unnest(${statuses}::text[], ${Object.values(queueOfStatus)}::text[]) as route (status, queue) using (status)
    )
    select key from job`.execute(db)
  return rows.length
}

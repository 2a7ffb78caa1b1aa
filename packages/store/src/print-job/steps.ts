import type { Dependency } from '@despatch/domain/outage/unavailable-dependency'
import type { CustomParam, StandardParams } from '@despatch/domain/print-job/params'
import { prepared } from '@despatch/postgres/prepared'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { AddressPlacement, Production } from '../schema-contract.ts'
import type { Plex } from '../schema-fulfilment.ts'

/** The statuses in which a print job waits for the pipeline. */
export type MovingStatus = 'QUARANTINE' | 'VALIDATING'

/** A print job of a batch that this worker has leased, with what a stage needs to know about it. */
export type TakenStep = {
  key: string
  consumerId: string
  status: MovingStatus
  epoch: number
  /** How many workers died in this step, and this one. */
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
  /** The version of the template that the letter is made from, such as `renewal@3`, and its languages. Null: none. */
  template: string | null
  templateLanguages: string[] | null
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

/** SQL: the lane of a print job `job`. One that failed or was interrupted in its step is alone in its batch. */
export const laneOfJob = sql.raw(`
  case when job.step_failures > 0 or job.step_starts > 0 then 'slow'
    when job.template is not null or exists (select from print_job_file where print_job_key = job.key) then 'files'
    else 'plain' end`)

type StepRef = { key: string; epoch: number }

/** The order in which rows of print_job are locked. */
export const byKey = (one: { key: string }, other: { key: string }) =>
  one.key < other.key ? -1 : 1

export type Postponement = {
  /** It becomes due earlier if this dependency recovers. */
  waitsFor?: Dependency | undefined
  /** The start counts as that of a worker that died: this one has no outcome and may have lost its lease. */
  countsStart?: boolean
}

/** Postpones a step by `seconds`. A wait is not a failure and costs no attempt. */
export async function postponeStep(
  db: Db,
  { key, epoch }: StepRef,
  seconds: number,
  { waitsFor, countsStart = false }: Postponement = {},
): Promise<boolean> {
  const { rows } = await transact(db, (tx) =>
    sql<{ key: string }>`
    with job as (
      update print_job set
        step_epoch = step_epoch + 1,
        step_starts = step_starts + ${countsStart ? 1 : 0}::integer
      where key = ${key} and step_epoch = ${epoch}
      returning key, consumer_id, step_epoch, step_starts, step_failures, template
    ), later as (
      insert into letter_later (subject, version, lane, consumer_id, due_at, waits_for)
      select key, step_epoch, ${laneOfJob}, consumer_id,
        now() + ${seconds}::double precision * interval '1 second', ${waitsFor ?? null}
      from job
      ${rescheduled}
    )
    select key from job`.execute(tx),
  )
  return rows.length === 1
}

/** SQL: a print job waits once. */
const rescheduled = sql`on conflict (subject) do update
  set version = excluded.version, lane = excluded.lane, due_at = excluded.due_at, waits_for = excluded.waits_for`

/**
 * Subtracts the start of a step whose batch was given up because its worker could not postpone it in time. The worker is
 * alive and lost only the database, so the start is no sign of a step that kills workers.
 */
export async function uncountStart(db: Db, { key, epoch }: StepRef): Promise<void> {
  await sql`
    update print_job set step_starts = step_starts - 1
    where key = ${key} and step_epoch = ${epoch}::integer + 1 and step_starts > 0`.execute(db)
}

/** Records a failed step, and when to retry it. `failure` is a class of fault, never data of the print job. */
export async function retryStep(
  db: Db,
  { key, epoch }: StepRef,
  { seconds, failure }: { seconds: number; failure: string },
): Promise<boolean> {
  const { rows } = await transact(db, (tx) =>
    sql<{ key: string }>`
    with job as (
      update print_job set
        step_epoch = step_epoch + 1,
        step_starts = 0,
        step_failures = step_failures + 1,
        step_failure = ${failure}
      where key = ${key} and step_epoch = ${epoch}
      returning key, consumer_id, step_epoch
    ), later as (
      insert into letter_later (subject, version, lane, consumer_id, due_at)
      select key, step_epoch, 'slow', consumer_id, now() + ${seconds}::double precision * interval '1 second' from job
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
export async function parkStep(db: Db, { key, epoch }: StepRef, failure: string): Promise<boolean> {
  const { rows } = await transact(db, (tx) =>
    sql<{ key: string }>`
    with job as (
      update print_job set
        step_epoch = step_epoch + 1,
        step_failure = ${failure},
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
  { key, epoch }: StepRef,
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
  await sql`${prepared('pin-files')}
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

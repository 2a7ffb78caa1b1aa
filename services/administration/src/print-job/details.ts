import type {
  StoredPrintJobDetails,
  StoredPrintJobSummary,
} from '@despatch/contracts/administration/print-job'
import { unknownPrintJob } from '@despatch/contracts/administration/problems'
import { completeEvents } from '@despatch/contracts/print-request/print-job-events'
import { printJobActionRefused } from '@despatch/contracts/print-request/problems'
import { possibleActions, whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import {
  type PrintJobAction,
  printJobActions,
} from '@despatch/domain/operator-action/print-job-actions'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { StandardParams } from '@despatch/domain/print-job/params'
import { isHeldByOperator } from '@despatch/domain/print-job/send-control'
import { remainingStandardParams } from '@despatch/domain/purge/remains'
import { userNameOf } from '@despatch/store/access/user-name-of'
import { listCallbackPage } from '@despatch/store/callback/list'
import type { Db } from '@despatch/store/database'
import type { PrintJobEvent } from '@despatch/store/print-job/record'
import { despatchMethodOf } from '@despatch/store/print-run/waiting-letters'
import {
  eventColumns,
  isPurgeBegun,
  redactedEvents,
  refusedFor,
  withoutFiles,
} from '@despatch/store/purge/redact'
import { sql } from 'kysely'
import { addDue, type Due, type DueFacts, dueColumns } from './due.ts'

/** A print job has at most one callback for each status and each return. */
const callbacksMax = 100

/** Returns a print job with its related data. Throws a Problem if there is none. */
export async function getPrintJobDetails(db: Db, key: string) {
  const found = await findPrintJobDetails(db, key)
  if (!found) throw unknownPrintJob(key)
  const printJob = (await addDue(db, [found]))[0]!
  const { consumerId, id: jobId } = printJob
  const { jobType, templateReference, despatchMethod } = printJob.submittedParams
  return {
    ...printJob,
    jobType,
    templateReference,
    despatchMethod,
    events: completeEvents(await listPrintJobEventsWithActors(db, key)),
    callbacks: await listCallbackPage(db, { consumerId, jobId }, { callbacksMax }),
    actions: possibleActions(printJobActions, factsOf(found)),
  }
}

/** Throws a Problem if there is no such print job, or if the action is not possible now. */
export async function requirePossible(db: Db, key: string, action: PrintJobAction): Promise<void> {
  const printJob = await findPrintJobDetails(db, key)
  if (!printJob) throw unknownPrintJob(key)
  const whyNot = whyNotPossible(printJobActions[action], factsOf(printJob))
  if (whyNot) throw printJobActionRefused(whyNot)
}

function factsOf({ deletedAt, heldAt, parkedAt, ...printJob }: PrintJobDetails) {
  const { status, isPurged, isInPrintRun, isAsSupplied } = printJob
  return {
    status,
    isPurged,
    isInPrintRun,
    isAsSupplied,
    isDeleted: deletedAt !== null,
    isHeld: heldAt !== null,
    isHeldByOperator: isHeldByOperator(printJob.heldBy),
    isParked: parkedAt !== null,
  }
}

/** A print job of a list, before its due date is known. */
export type FoundPrintJob = Omit<StoredPrintJobSummary, keyof Due> & DueFacts & { key: string }

/** A print job of any consumer, as operators see it. */
type PrintJobDetails = Omit<
  StoredPrintJobDetails,
  | keyof Due
  | 'jobType'
  | 'templateReference'
  | 'despatchMethod'
  | 'events'
  | 'callbacks'
  | 'actions'
> &
  DueFacts & {
    submittedParams: StandardParams
    isPurged: boolean
    isInPrintRun: boolean
    isAsSupplied: boolean
  }

// A print job that has ended no longer counts as held.
const isOpen = sql`job.status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION') and job.deleted_at is null`

/** The name of the recipient of `job` (a print job), as it was corrected; null once it is to be removed. */
export const recipientNameOfJob = sql<string | null>`
  case when not ${isPurgeBegun} then coalesce(job.address_override ->> 'recipientName',
    job.standard_params ->> 'recipientName') end`

/** Columns of `job` (a print job) and `consumer`. */
export const listedColumns = sql`
  job.key, job.key as "printJobKey", job.id, job.consumer_id as "consumerId", consumer.user_name as "userName", job.status,
  job.created_at as "createdAt", job.updated_at as "updatedAt", job.batch_number as "batchNumber",
  coalesce(job.document_id, 'D' || job.document_number) as "documentId",
  case when ${isOpen} then job.held_at end as "heldAt", job.parked_at as "parkedAt", job.deleted_at as "deletedAt",
  job.step_failure as failure, consumer.name as "consumerName",
  case when not ${isPurgeBegun} then job.comment end as comment,
  case when not ${isPurgeBegun} then job.standard_params ->> 'businessIdentifier' end as "businessIdentifier",
  case when not ${isPurgeBegun} then coalesce(job.printable_address ->> 'postcode',
    jsonb_path_query_first(job.standard_params, '$.address.*.postcode') #>> '{}') end as postcode,
  ${recipientNameOfJob} as "recipientName",
  ${dueColumns}`

async function findPrintJobDetails(db: Db, key: string): Promise<PrintJobDetails | undefined> {
  const { rows } = await sql<FoundDetails>`
    select ${listedColumns}, job.correlation_id as "correlationId", job.standard_params as "submittedParams",
      ${despatchMethodOf} as "producedAs", job.not_before as "notBefore",
      case when ${isOpen} then job.held_by end as "heldBy", case when ${isOpen} then job.hold_reason end as "holdReason",
      case when ${isOpen} then ${userNameOf(sql`job.held_by`)} end as "heldByUserName",
      job.printable_address as "printableAddress", job.address_override as "addressOverride",
      job.address_overridden_at as "addressOverriddenAt", job.fulfilment_job_id as "fulfilmentJobId",
      job.print_location as "printLocation", job.serial_number as "serialNumber", run.state as "runState",
      job.purged_at as "purgedAt", ${isPurgeBegun} as "isPurged", ${refusedFor} as "refusedFor", job.document_pages as pages,
      job.batch_number is not null as "isInPrintRun", contract.production = 'as-supplied' as "isAsSupplied",
      coalesce((
        select json_agg(json_build_object('fileId', file_id, 'source', source, 'mediaType', media_type, 'bytes', bytes,
          'sha256', encode(sha256, 'hex'), 'isPinned', pinned_at is not null) order by position)
        from print_job_file where print_job_key = job.key), '[]') as files
    from print_job job join consumer on consumer.id = job.consumer_id join contract on contract.id = job.contract_id
    left join print_run_document document on document.print_job_key = job.key
      and document.removed_at is null and document.voided_at is null
    left join print_run run on run.batch_number = document.batch_number
    where job.key = ${key}`.execute(db)
  if (!rows[0]) return undefined
  const { refusedFor: findings, ...printJob } = rows[0]
  const { submittedParams } = printJob
  if (!findings) return { ...printJob, submittedAddress: submittedParams }
  return {
    ...withoutFiles(printJob, findings),
    ...redacted,
    submittedParams: remainingStandardParams(submittedParams),
  }
}

type FoundDetails = Omit<PrintJobDetails, 'submittedAddress'> & { refusedFor: Finding[] | null }

/** The fields that are hidden for a purged print job, besides its files. */
const redacted = {
  heldBy: null,
  heldByUserName: null,
  holdReason: null,
  addressOverride: null,
  submittedAddress: null,
}

/** `actorUserName` is null unless the actor is a user. */
type PrintJobEventWithActor = PrintJobEvent & { actorUserName: string | null }

/** Lists the timeline of any consumer's print job, oldest first. */
async function listPrintJobEventsWithActors(
  db: Db,
  key: string,
): Promise<PrintJobEventWithActor[]> {
  const rows = await db
    .selectFrom('print_job_event as event')
    .innerJoin('print_job as job', 'job.key', 'event.print_job_key')
    .select([...eventColumns, userNameOf(sql`event.actor`).as('actorUserName')])
    .where('job.key', '=', key)
    .orderBy('event.sequence')
    .execute()
  return redactedEvents(rows)
}

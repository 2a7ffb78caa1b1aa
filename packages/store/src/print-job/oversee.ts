import type { PrintableAddress } from '@despatch/domain/address/address'
import type { DespatchMethod } from '@despatch/domain/print-job/params'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { PrintJobEvent } from './record.ts'

/** A print job as operators see it, whoever's it is. */
export type OverseenPrintJob = {
  key: string
  id: string
  consumerId: string
  userName: string
  status: PrintJobStatus
  createdAt: Date
  updatedAt: Date
  batchNumber: string | null
  documentId: string | null
  heldAt: Date | null
  parkedAt: Date | null
  deletedAt: Date | null
  /** The class of the last failure of ours. */
  failure: string | null
}

export type ShownPrintJob = OverseenPrintJob & {
  correlationId: string
  jobType: string
  templateReference: string
  businessIdentifier: string | null
  despatchMethod: DespatchMethod | null
  comment: string | null
  notBefore: Date | null
  heldBy: string | null
  holdReason: string | null
  printableAddress: PrintableAddress | null
  fulfilmentJobId: string | null
  printLocation: string | null
  serialNumber: string | null
  /** Of the print run that holds its document. */
  runState: PrintRunState | null
  purgedAt: Date | null
  isPurged: boolean
  files: {
    fileId: string
    source: 'upload' | 'custom-param'
    mediaType: string | null
    bytes: number | null
    sha256: string | null
    isPinned: boolean
  }[]
}

// What had been held when it ended is not held any more.
const isOpen = sql`job.status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION') and job.deleted_at is null`

/** Of `job`, a print job, and `consumer`. */
export const listedColumns = sql`
  job.key, job.id, job.consumer_id as "consumerId", consumer.user_name as "userName", job.status,
  job.created_at as "createdAt", job.updated_at as "updatedAt", job.batch_number as "batchNumber",
  coalesce(job.document_id, 'D' || job.document_number) as "documentId",
  case when ${isOpen} then job.held_at end as "heldAt", job.parked_at as "parkedAt", job.deleted_at as "deletedAt",
  job.step_failure as failure`

export async function findAnyPrintJob(db: Db, key: string): Promise<ShownPrintJob | undefined> {
  const { rows } = await sql<ShownPrintJob>`
    select ${listedColumns}, job.correlation_id as "correlationId", job.standard_params ->> 'jobType' as "jobType",
      job.standard_params ->> 'templateReference' as "templateReference",
      job.standard_params ->> 'businessIdentifier' as "businessIdentifier",
      job.standard_params ->> 'despatchMethod' as "despatchMethod", job.comment, job.not_before as "notBefore",
      case when ${isOpen} then job.held_by end as "heldBy", case when ${isOpen} then job.hold_reason end as "holdReason",
      job.printable_address as "printableAddress", job.fulfilment_job_id as "fulfilmentJobId",
      job.print_location as "printLocation", job.serial_number as "serialNumber", run.state as "runState",
      job.purged_at as "purgedAt", job.purge_began_at is not null as "isPurged",
      coalesce((
        select json_agg(json_build_object('fileId', file_id, 'source', source, 'mediaType', media_type, 'bytes', bytes,
          'sha256', encode(sha256, 'hex'), 'isPinned', pinned_at is not null) order by position)
        from print_job_file where print_job_key = job.key), '[]') as files
    from print_job job join consumer on consumer.id = job.consumer_id
    left join print_run_document document on document.print_job_key = job.key
      and document.removed_at is null and document.voided_at is null
    left join print_run run on run.batch_number = document.batch_number
    where job.key = ${key}`.execute(db)
  return rows[0]
}

/** The timeline of a print job, whoever's it is, oldest first. */
export async function listAnyPrintJobEvents(db: Db, key: string): Promise<PrintJobEvent[]> {
  return db
    .selectFrom('print_job_event')
    .select(['sequence', 'transition', 'status', 'at', 'actor', 'reason', 'findings'])
    .where('print_job_key', '=', key)
    .orderBy('sequence')
    .execute()
}

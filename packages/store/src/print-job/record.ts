import type { PrintableAddress } from '@despatch/domain/address/address'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { CustomParam, StandardParams } from '@despatch/domain/print-job/params'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { DespatchProperty } from '@despatch/domain/print-run/despatch-properties'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { eventColumns, redactedEvents, refusedFor, withoutParams } from '../purge/redact.ts'
import type { Schema } from '../schema.ts'
import type { StoredCallbackParams } from '../schema-callback.ts'

/** A print job as its consumer may read it. */
export type PrintJobRecord = {
  id: string
  status: PrintJobStatus
  comment: string | null
  standardParams: StandardParams
  customParams: CustomParam[] | null
  callbackParams: StoredCallbackParams | null
  /** Null: no callback is requested, or the target is among the params and the credentials are sealed separately. */
  callbackDestinationSealed: Buffer | null
  callbackOrigin: string | null
  /** Whether there are credentials that are sealed separately. */
  files: { fileId: string }[]
  printableAddress: PrintableAddress | null
  batchNumber: string | null
  fulfilmentJobId: string | null
  documentId: string | null
  printLocation: string | null
  serialNumber: string | null
  despatchProperties: DespatchProperty[] | null
  createdDate: Date
  updatedDate: Date
  /** When an operator last corrected the address. */
  addressOverriddenDate: Date | null
  /** When personal data was removed. */
  purgedDate: Date | null
}

/** Finds a consumer's own print job. Returns undefined for another consumer's or a deleted one. */
export async function findPrintJob(
  db: Db,
  consumerId: string,
  id: string,
): Promise<PrintJobRecord | undefined> {
  const { rows } = await sql<PrintJobRecord & { refusedFor: Finding[] | null }>`
    select id, status, comment, standard_params as "standardParams", custom_params as "customParams",
      callback_params as "callbackParams", callback_destination_sealed as "callbackDestinationSealed",
      callback_origin as "callbackOrigin",
      coalesce((
        select json_agg(json_build_object('fileId', file_id) order by position)
        from print_job_file where print_job_key = key), '[]') as files,
      printable_address as "printableAddress", batch_number as "batchNumber", fulfilment_job_id as "fulfilmentJobId",
      document_id as "documentId", print_location as "printLocation", serial_number as "serialNumber",
      despatch_properties as "despatchProperties", created_at as "createdDate", updated_at as "updatedDate",
      address_overridden_at as "addressOverriddenDate", purged_at as "purgedDate",
      ${refusedFor} as "refusedFor"
    from print_job job
    where consumer_id = ${consumerId} and id = ${id} and deleted_at is null`.execute(db)
  if (!rows[0]) return undefined
  const { refusedFor: findings, ...printJob } = rows[0]
  return findings ? withoutParams(printJob, findings) : printJob
}

export type PrintJobEvent = {
  sequence: number
  transition: Schema['print_job_event']['transition']
  status: PrintJobStatus
  at: Date
  actor: string
  reason: string | null
  findings: Finding[] | null
  /** Unknown members of its request, as they are stored. Only the event of the submission has them. */
  unknownMembers: string[] | null
}

/**
 * Finds the timeline of a consumer's own print job, oldest first. Returns undefined if the print job does not exist.
 */
export async function findPrintJobEvents(
  db: Db,
  consumerId: string,
  id: string,
): Promise<PrintJobEvent[] | undefined> {
  const rows = await db
    .selectFrom('print_job as job')
    .innerJoin('print_job_event as event', 'event.print_job_key', 'job.key')
    .select(eventColumns)
    .where('job.consumer_id', '=', consumerId)
    .where('job.id', '=', id)
    .where('job.deleted_at', 'is', null)
    .orderBy('event.sequence')
    .execute()
  // Every print job has at least the event of its submission.
  return rows.length > 0 ? redactedEvents(rows) : undefined
}

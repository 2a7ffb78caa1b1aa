import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import type { MailFormat } from '@despatch/domain/print-run/mail-format'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import type { Materials } from '@despatch/domain/print-run/weight'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import type { Plex } from '../schema-fulfilment.ts'

export type PrintRunRef = { providerId: string; batchNumber: string }

/** The fields that every lock of a run reads. */
export type LockedPrintRun = {
  batchNumber: string
  printLocation: string
  despatchMethod: PrintRunDespatchMethod
  format: MailFormat
  stationery: string
  plex: Plex
  colour: boolean
  state: PrintRunState
  claimedAt: Date | null
  acknowledgedAt: Date | null
  /** Why the provider refused the whole run. */
  refusal: string | null
  printEpoch: number
}

export const lockedColumns = [
  'batch_number as batchNumber',
  'print_location as printLocation',
  'despatch_method as despatchMethod',
  'format',
  'stationery',
  'plex',
  'colour',
  'state',
  'claimed_at as claimedAt',
  'acknowledged_at as acknowledgedAt',
  'refusal',
  'print_epoch as printEpoch',
] as const

export type OfferedPrintRun = LockedPrintRun & {
  materials: Materials | null
  leaseUntil: Date | null
  manifestVersion: number | null
  manifestDigest: Buffer | null
  documentCount: number | null
  sheetCount: number | null
  pageCount: number | null
  byteCount: number | null
  acknowledgementHash: Buffer | null
  refusedCount: number | null
  closedAt: Date | null
}

/**
 * Reads an offered run of the provider and locks it until the transaction ends. Code that changes a run's documents
 * locks in this order: run, print jobs, documents. Returns undefined if the run does not exist, is another provider's,
 * or is still gathering.
 */
export async function lockPrintRun(
  tx: Tx,
  { providerId, batchNumber }: PrintRunRef,
): Promise<OfferedPrintRun | undefined> {
  return tx
    .selectFrom('print_run')
    .select([
      ...lockedColumns,
      'materials',
      'lease_until as leaseUntil',
      'manifest_version as manifestVersion',
      'manifest_digest as manifestDigest',
      'document_count as documentCount',
      'sheet_count as sheetCount',
      'page_count as pageCount',
      'byte_count as byteCount',
      'acknowledgement_hash as acknowledgementHash',
      'refused_count as refusedCount',
      'closed_at as closedAt',
    ])
    .where('batch_number', '=', batchNumber)
    .where('provider_id', '=', providerId)
    .where('state', '<>', 'OPEN')
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/**
 * Locks the print jobs of a run whose documents have no outcome yet. The order is the common one: after the run and
 * before its documents. A print job that is being deleted is either out of the run already, or its deletion waits.
 */
export async function lockPrintJobs(tx: Tx, batchNumber: string): Promise<void> {
  await sql`
    select from print_job
    where key in (
      select print_job_key from print_run_document
      where batch_number = ${batchNumber} and removed_at is null and voided_at is null and outcome is null)
    order by key for no key update`.execute(tx)
}

import type { DocumentProgress } from '@despatch/domain/print-run/document-progress'
import type { PrintRunState, ReconciliationCounts } from '@despatch/domain/print-run/state'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { recallStatuses } from '../recall/status.ts'
import type { PrintRunRef } from './lock.ts'
import { readReconciliationCounts } from './reconciliation-counts.ts'

export type Reconciliation = {
  state: PrintRunState
  account: ReconciliationCounts
  reprints: number
  waitingReprints: number
  /** A page of the documents without an outcome, in order of sequence. */
  unaccounted: UnaccountedDocument[]
}

export type UnaccountedDocument = {
  documentId: string
  sequence: number
  attempt: number
  progress: DocumentProgress | null
  /** The unconfirmed posting that covers it. */
  postingId: string | null
  /** A reprint waits for an operator's decision. */
  isReprintWaiting: boolean
  /** It had already left when it was recalled, and there is no newer recall. */
  isTooLate: boolean
}

/**
 * Finds the reconciliation of a claimed run, in one snapshot, with the unaccounted documents whose sequence is above
 * `after`. Returns undefined if the provider has no such run, or nobody has claimed it.
 */
export async function findReconciliation(
  db: Db,
  { providerId, batchNumber, ...page }: PrintRunRef & { after: number; documentsMax: number },
): Promise<Reconciliation | undefined> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const run = await tx
        .selectFrom('print_run')
        .select('state')
        .where('batch_number', '=', batchNumber)
        .where('provider_id', '=', providerId)
        .where('claimed_at', 'is not', null)
        .executeTakeFirst()
      if (!run) return
      return {
        state: run.state,
        account: await readReconciliationCounts(tx, batchNumber),
        ...(await countReprints(tx, batchNumber)),
        unaccounted: await listUnaccounted(tx, batchNumber, page),
      }
    })
}

async function countReprints(db: Db, batchNumber: string) {
  const { rows } = await sql<{ reprints: number; waitingReprints: number }>`
    select count(*) filter (where state = 'AUTHORISED')::integer as reprints,
      count(*) filter (where state = 'WAITING')::integer as "waitingReprints"
    from reprint where batch_number = ${batchNumber}`.execute(db)
  return rows[0]!
}

/** Lists the documents of a claimed run without an outcome, in order of sequence, from above `after`. */
export async function listUnaccounted(
  db: Db,
  batchNumber: string,
  { after, documentsMax }: { after: number; documentsMax: number },
): Promise<UnaccountedDocument[]> {
  const { rows } = await sql<UnaccountedDocument>`
    select document.document_id as "documentId", sequence, attempt, progress, posting_id as "postingId",
      exists (
        select from reprint
        where reprint.batch_number = document.batch_number and reprint.document_id = document.document_id
          and reprint.state = 'WAITING') as "isReprintWaiting",
      coalesce(recalled.is_too_late and recalled.open_recall_id is null, false) as "isTooLate"
    from print_run_document document
    left join ${recallStatuses(batchNumber)} recalled on recalled.document_id = document.document_id
    where batch_number = ${batchNumber} and outcome is null and removed_at is null and sequence > ${after}
    order by sequence
    limit ${documentsMax}`.execute(db)
  return rows
}

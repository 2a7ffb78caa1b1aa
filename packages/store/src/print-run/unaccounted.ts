import type { DocumentProgress } from '@despatch/domain/print-run/document-progress'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { recallStatuses } from './open-recalls.ts'

/** SQL condition on a row `document` of print_run_document: a reprint waits for an operator's decision. */
export const isReprintWaitingRow = sql<boolean>`exists (
  select from reprint
  where reprint.batch_number = document.batch_number and reprint.document_id = document.document_id
    and reprint.state = 'WAITING')`

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

/** Lists the documents of a claimed run without an outcome, in order of sequence, from above `after`. */
export async function listUnaccounted(
  db: Db,
  batchNumber: string,
  { after, documentsMax }: { after: number; documentsMax: number },
): Promise<UnaccountedDocument[]> {
  const { rows } = await sql<UnaccountedDocument>`
    select document.document_id as "documentId", sequence, attempt, progress, posting_id as "postingId",
      ${isReprintWaitingRow} as "isReprintWaiting",
      coalesce(recalled.is_too_late and recalled.open_recall_id is null, false) as "isTooLate"
    from print_run_document document
    left join ${recallStatuses(batchNumber)} recalled on recalled.document_id = document.document_id
    where batch_number = ${batchNumber} and outcome is null and removed_at is null and sequence > ${after}
    order by sequence
    limit ${documentsMax}`.execute(db)
  return rows
}

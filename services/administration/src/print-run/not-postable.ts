import type { DocumentState } from '@despatch/domain/print-run/document-progress'
import {
  type OnBehalfRefusal,
  type RecallStatus,
  refusalOnBehalf,
} from '@despatch/domain/print-run/posting-on-behalf'
import type { Db } from '@despatch/store/database'
import { recallStatuses } from '@despatch/store/print-run/open-recalls'
import { isPostableOnBehalfRow } from '@despatch/store/print-run/postable'
import { isReprintWaitingRow } from '@despatch/store/print-run/unaccounted'
import { sql } from 'kysely'

/**
 * Describes why the posting of a document cannot be recorded on behalf of the provider, and what an operator can do
 * about it.
 */
export function describeNotPostable(
  document: NotPostableOnBehalf,
  { providerId, lastHeardAt }: { providerId: string; lastHeardAt: Date | null },
): string {
  const { documentId, attempt, refusal, outcome, openRecallId, isReprintWaiting } = document
  switch (refusal) {
    case 'ended':
      return `Document ${documentId} is ${outcome}`
    case 'spoiled': {
      const remedy = isReprintWaiting ? 'decide on its reprint' : 'recall it, and settle the recall'
      return `Attempt ${attempt} at document ${documentId} is SPOILED: ${remedy}`
    }
    case 'asked-back':
      return `Document ${documentId} is being recalled. First settle recall ${openRecallId}, as too late for it`
    case 'provider-present':
      return (
        `Document ${documentId} must be posted by its provider: the last contact with ${providerId} was at ${lastHeardAt?.toISOString()}. ` +
        'If the provider cannot post it, recall the document, and settle the recall as too late for it'
      )
  }
}

/** Documents of a run. Absent: all that are missing. */
type Chosen = { batchNumber: string; documentIds?: readonly string[] | undefined }

/** A document whose posting an operator cannot record. */
export type NotPostableOnBehalf = {
  documentId: string
  refusal: OnBehalfRefusal
  attempt: number
  outcome: DocumentState['outcome']
  /** The recall of this document that waits for an answer. */
  openRecallId: string | null
  isReprintWaiting: boolean
}

/** The maximum number of documents listed by id. */
const documentsListedMax = 100

/** Finds the named documents that are not in the run, in the order in which they are named. */
export async function listUnknownDocuments(
  db: Db,
  { batchNumber, documentIds = [] }: Chosen,
): Promise<string[]> {
  if (documentIds.length === 0) return []
  const { rows } = await sql<{ documentId: string }>`
    select named.document_id as "documentId"
    from unnest(${documentIds}::text[]) with ordinality as named (document_id, place)
    where not exists (
      select from print_run_document document
      where document.batch_number = ${batchNumber} and document.document_id = named.document_id
        and document.removed_at is null and document.voided_at is null)
    order by named.place`.execute(db)
  return rows.map(({ documentId }) => documentId)
}

/**
 * Lists the chosen documents whose posting an operator cannot record: their number, and the first of them with the
 * reason.
 */
export async function listNotPostableOnBehalf(
  db: Db,
  { batchNumber, documentIds, isProviderAbsent }: Chosen & { isProviderAbsent: boolean },
): Promise<{ documents: NotPostableOnBehalf[]; documentCount: number }> {
  const chosen =
    documentIds === undefined
      ? sql`document.outcome is null`
      : sql`document.document_id = any (${documentIds}::text[])`
  const { rows } = await sql<Row>`
    select document.document_id as "documentId", document.first_attempt as "firstAttempt", document.attempt,
      document.progress, document.outcome, recalled.open_recall_id as "openRecallId",
      coalesce(recalled.is_too_late, false) as "isTooLate",
      ${isReprintWaitingRow} as "isReprintWaiting",
      count(*) over ()::integer as total
    from print_run_document document
    left join ${recallStatuses(batchNumber)} recalled on recalled.document_id = document.document_id
    where document.batch_number = ${batchNumber} and document.removed_at is null and document.voided_at is null
      and ${chosen}
      and not (${isPostableOnBehalfRow} and recalled.open_recall_id is null
        and (${isProviderAbsent} or coalesce(recalled.is_too_late, false)))
    order by document.sequence
    limit ${documentsListedMax}`.execute(db)
  const documents = rows.map((row) => toNotPostable(row, isProviderAbsent))
  return { documents, documentCount: rows[0]?.total ?? 0 }
}

type Row = DocumentState &
  Omit<NotPostableOnBehalf, 'refusal'> & { isTooLate: boolean; total: number }

function toNotPostable(row: Row, isProviderAbsent: boolean): NotPostableOnBehalf {
  const { documentId, attempt, outcome, openRecallId, isReprintWaiting } = row
  const recall: RecallStatus = openRecallId ? 'OPEN' : row.isTooLate ? 'TOO_LATE' : null
  const refusal = refusalOnBehalf(row, { recall, isProviderAbsent })
  if (!refusal) throw new Error(`Document ${documentId} has two different verdicts`)
  return { documentId, refusal, attempt, outcome, openRecallId, isReprintWaiting }
}

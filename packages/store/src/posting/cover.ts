import type {
  DocumentOutcome,
  DocumentProgress,
} from '@despatch/domain/print-run/document-progress'
import type { CoveredCount } from '@despatch/domain/print-run/posting-counts'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import type { OfferedPrintRun } from '../print-run/lock.ts'
import { isPostableOnBehalfRow, isPostableRow } from '../print-run/postable.ts'

/** The documents of a run that were handed over. Absent: all that can be posted and are in no other posting. */
export type PostingOfRun = { batchNumber: string; documentIds?: readonly string[] | undefined }

/** A named document that cannot be covered. The rest is null if the run has no such document. */
export type NotPostable = {
  batchNumber: string
  documentId: string
  attempt: number | null
  progress: DocumentProgress | null
  outcome: DocumentOutcome | null
  /** The other posting that covers it. */
  postingId: string | null
}

/** The maximum number of documents listed by id. */
const documentsListedMax = 100

/** Lists the named documents of the runs that cannot be covered: their number, and the first of them. */
export async function listNotCovered(
  tx: Tx,
  printRuns: readonly PostingOfRun[],
): Promise<{ documents: NotPostable[]; documentCount: number }> {
  const documents: NotPostable[] = []
  let documentCount = 0
  for (const { batchNumber, documentIds } of printRuns) {
    if (!documentIds) continue
    const { rows } = await sql<NotPostable & { total: number }>`
      select ${batchNumber} as "batchNumber", named.document_id as "documentId", document.attempt, document.progress,
        document.outcome, document.posting_id as "postingId", count(*) over ()::integer as total
      from unnest(${documentIds}::text[]) with ordinality as named (document_id, place)
      left join print_run_document document
        on document.batch_number = ${batchNumber} and document.document_id = named.document_id
          and document.removed_at is null and document.voided_at is null
      where document.document_id is null or document.posting_id is not null or not ${isPostableRow}
      order by named.place
      limit ${documentsListedMax}`.execute(tx)
    documentCount += rows[0]?.total ?? 0
    documents.push(...rows.map(({ total: _, ...document }) => document))
  }
  return { documents: documents.slice(0, documentsListedMax), documentCount }
}

/**
 * Adds documents of a run to the posting: the named ones, or all that can be posted and are in no other posting.
 * Returns how many were added, by number of sheets. The caller has locked the run.
 */
export async function coverDocuments(
  tx: Tx,
  {
    postingId,
    run,
    documentIds,
    isOnBehalf = false,
  }: {
    postingId: string
    run: OfferedPrintRun
    documentIds?: readonly string[] | undefined
    /** An operator records it; the operator's word replaces what the provider has not reported. */
    isOnBehalf?: boolean
  },
): Promise<CoveredCount[]> {
  const { batchNumber, despatchMethod, format, stationery, materials } = run
  const isCoverable = isOnBehalf ? isPostableOnBehalfRow : isPostableRow
  const { rows } = await sql<{ sheets: number; documentCount: number }>`
    with covered as (
      update print_run_document document set posting_id = ${postingId}
      where document.batch_number = ${batchNumber} and document.posting_id is null and ${isCoverable}
        and (${documentIds ?? null}::text[] is null or document.document_id = any (${documentIds ?? null}::text[]))
      returning document.sheets
    ), posted_run as (
      insert into posting_run (posting_id, batch_number, document_count, sheet_count)
      select ${postingId}, ${batchNumber}, count(*), coalesce(sum(sheets), 0) from covered
      returning document_count, sheet_count
    ), posted as (
      update posting set
        document_count = posting.document_count + posted_run.document_count,
        sheet_count = posting.sheet_count + posted_run.sheet_count
      from posted_run
      where posting.id = ${postingId}
    )
    select sheets, count(*)::integer as "documentCount" from covered group by sheets order by sheets`.execute(
    tx,
  )
  return rows.map((row) => ({ ...row, despatchMethod, format, stationery, materials }))
}

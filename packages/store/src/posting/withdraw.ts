import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../database.ts'
import { isPostableOnBehalfRow, isPostableRow } from '../print-run/postable.ts'

/**
 * Removes documents of a run from the unconfirmed postings that cover them, and lowers the counts of those postings.
 * The caller has locked the run.
 */
export async function withdrawFromPostings(
  tx: Tx,
  { batchNumber, documentIds }: { batchNumber: string; documentIds: readonly string[] },
): Promise<void> {
  await release(
    tx,
    sql`document.batch_number = ${batchNumber} and document.document_id = any (${documentIds}::text[])`,
  )
}

/**
 * As `withdrawFromPostings`, for documents that an operator posts on behalf of the provider: the named documents, or all
 * that are missing. The caller has locked the run.
 */
export async function withdrawForOperator(
  tx: Tx,
  {
    batchNumber,
    documentIds,
  }: { batchNumber: string; documentIds?: readonly string[] | undefined },
): Promise<void> {
  if (documentIds) return withdrawFromPostings(tx, { batchNumber, documentIds })
  await release(
    tx,
    sql`document.batch_number = ${batchNumber} and document.posting_id is not null and ${isPostableOnBehalfRow}`,
  )
}

/** Removes the documents that can no longer be posted from a posting. The caller has locked its runs. */
export async function withdrawUnpostable(tx: Tx, postingId: string): Promise<void> {
  await release(tx, sql`document.posting_id = ${postingId} and not ${isPostableRow}`)
}

async function release(tx: Tx, condition: RawBuilder<unknown>): Promise<void> {
  // locks in one order, because two runs may have documents in the same postings
  await sql`
    select from posting where id in (select posting_id from print_run_document document where ${condition})
    order by id for no key update`.execute(tx)
  await sql`
    with held as (
      select document.batch_number, document.document_id, document.posting_id, document.sheets
      from print_run_document document
      join posting on posting.id = document.posting_id and posting.confirmed_at is null
      where ${condition}
    ), released as (
      update print_run_document document set posting_id = null from held
      where document.batch_number = held.batch_number and document.document_id = held.document_id
    ), lost as (
      select posting_id, batch_number, count(*) as documents, sum(sheets) as sheets from held group by 1, 2
    ), posted_run as (
      update posting_run set
        document_count = document_count - lost.documents,
        sheet_count = sheet_count - lost.sheets
      from lost
      where posting_run.posting_id = lost.posting_id and posting_run.batch_number = lost.batch_number
    )
    update posting set document_count = document_count - total.documents, sheet_count = sheet_count - total.sheets
    from (select posting_id, sum(documents) as documents, sum(sheets) as sheets from lost group by 1) total
    where posting.id = total.posting_id`.execute(tx)
}

import { sql } from 'kysely'
import type { Tx } from '../database.ts'

export type LiveDocument = { documentId: string; printJobKey: string }

/** Documents per statement, so that its duration does not grow with the run. */
const pageDocumentsMax = 5_000

/**
 * Returns the live documents of a run without an outcome, in pages. The caller has locked the run and may take
 * documents out while it iterates.
 */
export async function* pageLiveDocuments(
  tx: Tx,
  batchNumber: string,
): AsyncGenerator<LiveDocument[]> {
  let after = ''
  for (;;) {
    const { rows } = await sql<LiveDocument>`
      select document_id as "documentId", print_job_key as "printJobKey" from print_run_document
      where batch_number = ${batchNumber} and document_id > ${after}
        and removed_at is null and voided_at is null and outcome is null
      order by document_id
      limit ${pageDocumentsMax}`.execute(tx)
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = last.documentId
  }
}

import { sql } from 'kysely'
import type { Tx } from '../database.ts'

export type LiveDocument = { documentId: string; printJobKey: string }

/** Documents changed by one statement, so that its length does not grow with the run. */
const pageDocumentsMax = 5_000

/** The documents of a run that are in it and have no outcome, in pages. The caller holds the run and may take them out. */
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

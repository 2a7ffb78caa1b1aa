import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Finds the recipientName of the print job of a document. Returns undefined if there is no such document. */
export async function findDocumentRecipient(
  db: Db,
  documentId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ recipientName: string }>`
    select job.standard_params ->> 'recipientName' as "recipientName"
    from print_run_document document join print_job job on job.key = document.print_job_key
    where document.document_id = ${documentId}`.execute(db)
  return rows[0]?.recipientName
}

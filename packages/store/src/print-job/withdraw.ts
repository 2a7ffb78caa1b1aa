import { sql } from 'kysely'
import type { Tx } from '../database.ts'

/**
 * Takes the document of a PENDING print job that is being deleted or held out of its print run. Call it in the
 * transaction that has updated the print job. The version of the run's manifest rises with the number of withdrawn
 * documents. Returns false if no run has the document; a voided document is in none. Does not lock the run: a claim
 * locks the run before the print job, so that would deadlock.
 */
export async function removeFromPrintRun(tx: Tx, printJobKey: string): Promise<boolean> {
  const { rows } = await sql`
    update print_run_document set removed_at = now()
    where print_job_key = ${printJobKey} and removed_at is null and voided_at is null
    returning document_id`.execute(tx)
  return rows.length > 0
}

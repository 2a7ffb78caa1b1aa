import { sql } from 'kysely'
import type { Tx } from '../database.ts'

/**
 * Removes the document of a PENDING print job from its print run, because the print job is being deleted or held. Call
 * it in the transaction that has updated the print job. The version of the run's manifest rises with the number of
 * removed documents. Returns false if no run has the document; a voided document is in none. Does not lock the run: a
 * claim locks the run before the print job, so locking it here could deadlock.
 */
export async function removeFromPrintRun(tx: Tx, printJobKey: string): Promise<boolean> {
  const { rows } = await sql`
    update print_run_document set removed_at = now()
    where print_job_key = ${printJobKey} and removed_at is null and voided_at is null
    returning document_id`.execute(tx)
  return rows.length > 0
}

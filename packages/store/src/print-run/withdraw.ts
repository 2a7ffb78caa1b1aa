import { sql } from 'kysely'
import type { Tx } from '../database.ts'

/**
 * Takes the document of a PENDING print job that is being deleted or held out of its print run, in the transaction that has
 * updated the job; the version of the run's manifest rises with the number of documents withdrawn.
 * False: no run holds it. A voided document is in none. The run itself stays unlocked: a claim locks run before job, so it would be a deadlock.
 */
export async function removeFromPrintRun(tx: Tx, printJobKey: string): Promise<boolean> {
  const { rows } = await sql`
    update print_run_document set removed_at = now()
    where print_job_key = ${printJobKey} and removed_at is null and voided_at is null
    returning document_id`.execute(tx)
  return rows.length > 0
}

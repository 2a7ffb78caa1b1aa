import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** The maximum number of rows that one pass deletes, so that a pass is short. */
const rowsPerPassMax = 5_000

/**
 * Deletes enquiries from the audit that are older than the database says (`retention`), oldest first. Returns `again` if
 * there may be more. Safe to repeat and to run from several processes at once.
 */
export async function purgeEnquiryAudit(db: Db): Promise<'again' | 'idle'> {
  const { rows } = await sql<{ purged: number }>`
    select purge_enquiry_audit(${rowsPerPassMax}::integer) as purged`.execute(db)
  return rows[0]?.purged === rowsPerPassMax ? 'again' : 'idle'
}

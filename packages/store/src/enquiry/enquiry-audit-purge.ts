import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** The maximum number of rows that one pass deletes, so that a pass is short. */
const rowsPerPassMax = 5_000

/**
 * Deletes enquiries older than `days` days from the audit, oldest first. Returns `again` if there may be more. Safe to
 * repeat and to run from several processes at once. Throws if `days` is less than 1.
 */
export async function purgeEnquiryAudit(
  db: Db,
  { days }: { days: number },
): Promise<'again' | 'idle'> {
  const { rows } = await sql<{ purged: number }>`
    select purge_enquiry_audit(now() - ${days}::integer * interval '1 day', ${rowsPerPassMax}::integer) as purged
  `.execute(db)
  return rows[0]?.purged === rowsPerPassMax ? 'again' : 'idle'
}

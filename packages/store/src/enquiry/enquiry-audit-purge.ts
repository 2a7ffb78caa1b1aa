import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** How many rows one pass takes away: few enough that it is over in a moment. */
const rowsPerPassMax = 5_000

/**
 * Takes enquiries that are older than so many days out of the audit, the oldest first: `again` when there may be more. Safe
 * to repeat, and from several processes at once. Throws for less than a day.
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

import { isAbsent } from '@despatch/domain/print-run/posting-on-behalf'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Finds when the provider of a claimed run was last heard from, and whether that is too long ago. Polling for work
 * counts, and so do reports on the run.
 */
export async function findPresence(
  db: Db,
  { providerId, batchNumber }: { providerId: string; batchNumber: string },
): Promise<{ lastHeardAt: Date | null; isProviderAbsent: boolean }> {
  const { rows } = await sql<{ lastHeardAt: Date | null; awaySecondsMax: number | null; at: Date }>`
    select away_seconds_max as "awaySecondsMax", clock_timestamp() as at, greatest(
        last_seen_at,
        (select greatest(claimed_at, acknowledged_at) from print_run where batch_number = ${batchNumber}),
        (select max(received_at) from print_run_event where batch_number = ${batchNumber}),
        (select max(created_at) from posting join posting_run on posting_run.posting_id = posting.id
          where posting_run.batch_number = ${batchNumber} and posting.confirmed_at is null)
      ) as "lastHeardAt"
    from provider where id = ${providerId}`.execute(db)
  const { lastHeardAt, awaySecondsMax, at } = rows[0]!
  return { lastHeardAt, isProviderAbsent: isAbsent({ lastHeardAt, awaySecondsMax }, at) }
}

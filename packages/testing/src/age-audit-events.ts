import type { Pool } from 'pg'

/** Makes the audit events of these consumers, or all, older by some days. Requires a superuser, because rows are only added. */
export async function ageAuditEvents(
  pool: Pool,
  { days, of }: { days: number; of?: readonly string[] },
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    // The trigger that refuses changes does not run in a replica.
    await client.query('set local session_replication_role = replica')
    await client.query(
      `update audit_event set at = at - make_interval(days => $1) where $2::uuid[] is null or consumer_id = any ($2)`,
      [days, of ?? null],
    )
    await client.query('commit')
  } finally {
    client.release()
  }
}

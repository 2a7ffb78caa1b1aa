import type { HealthCheck } from '@despatch/http/health'
import type { Database } from '@despatch/store/database'

/** Half of a task's lock: queues on PostgreSQL trust each worker's clock, and past this two could run one task. */
const skewMsMax = 7_500

/** Compares this machine's clock with the database's. */
export async function checkClock(pool: Pick<Database['pool'], 'query'>): Promise<HealthCheck> {
  const name = 'clock'
  try {
    const askedAtMs = Date.now()
    const { rows } = await pool.query<{ ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms',
    )
    const skewMs = Math.round((askedAtMs + Date.now()) / 2 - rows[0]!.ms)
    if (Math.abs(skewMs) <= skewMsMax) return { name, ok: true }
    return { name, ok: false, reason: `${skewMs} ms from the database's` }
  } catch {
    return { name, ok: false, reason: 'the database was not asked' }
  }
}

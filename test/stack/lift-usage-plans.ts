import { openDatabase } from '@despatch/store/database'

/** Raises the limits of every usage plan, so that consumers may call as often as a test requires. */
export async function liftUsagePlans(databaseUrl: string): Promise<void> {
  const { pool, close } = openDatabase(databaseUrl, { name: 'test', connectionsMax: 1 })
  await pool.query('update usage_plan set requests_per_second = 10000, burst = 10000')
  await close()
}

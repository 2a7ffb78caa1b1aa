import { openDatabase } from '@despatch/store/database'

/** Lets every consumer ask as often as a test wants. */
export async function liftUsagePlans(databaseUrl: string): Promise<void> {
  const { pool, close } = openDatabase(databaseUrl, { name: 'test', connectionsMax: 1 })
  await pool.query('update usage_plan set requests_per_second = 10000, burst = 10000')
  await close()
}

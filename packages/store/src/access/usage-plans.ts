import type { Db } from '../database.ts'

/** How much a plan allows each of its consumers of one service. */
export type UsagePlan = {
  name: string
  requestsPerSecond: number
  /** Requests above the rate that are let through at once. */
  burst: number
  /** Null: as many as the rate allows. */
  requestsPerDay: number | null
}

/** The plans that limit a service. A plan that is not among them does not. */
export async function listUsagePlansOf(db: Db, service: string): Promise<UsagePlan[]> {
  const rows = await db
    .selectFrom('usage_plan')
    .select(['name', 'requests_per_second', 'burst', 'requests_per_day'])
    .where('service', '=', service)
    .execute()
  return rows.map((row) => ({
    name: row.name,
    requestsPerSecond: row.requests_per_second,
    burst: row.burst,
    requestsPerDay: row.requests_per_day,
  }))
}

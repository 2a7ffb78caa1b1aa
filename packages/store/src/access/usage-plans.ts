import type { Db } from '../database.ts'

/** The limits of a plan for one service; they apply to each of its consumers. */
export type UsagePlan = {
  name: string
  requestsPerSecond: number
  /** Requests above the rate that are allowed at once. */
  burst: number
  /** Null: no daily limit. */
  requestsPerDay: number | null
  /** Bytes of request bodies in a day. Null: no limit. */
  bytesPerDay: number | null
}

/** Lists the plans that limit a service. A plan that is not listed does not limit it. */
export async function listUsagePlansOf(db: Db, service: string): Promise<UsagePlan[]> {
  const rows = await db
    .selectFrom('usage_plan')
    .select(['name', 'requests_per_second', 'burst', 'requests_per_day', 'bytes_per_day'])
    .where('service', '=', service)
    .execute()
  return rows.map((row) => ({
    name: row.name,
    requestsPerSecond: row.requests_per_second,
    burst: row.burst,
    requestsPerDay: row.requests_per_day,
    bytesPerDay: row.bytes_per_day,
  }))
}

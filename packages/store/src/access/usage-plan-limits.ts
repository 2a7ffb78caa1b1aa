import type { Db } from '../database.ts'

/** The limits of a plan for one service. */
type UsagePlanLimit = {
  service: string
  requestsPerSecond: number
  burst: number
  /** Null: no daily limit. */
  requestsPerDay: number | null
  /** Bytes of request bodies in a day. Null or absent: no limit. */
  bytesPerDay?: number | null
}

export type StoredUsagePlan = { name: string; limits: Required<UsagePlanLimit>[] }

/** Lists every usage plan by name, with its limits by service. */
export async function listAllUsagePlans(db: Db): Promise<StoredUsagePlan[]> {
  const rows = await db
    .selectFrom('usage_plan')
    .select([
      'name',
      'service',
      'requests_per_second',
      'burst',
      'requests_per_day',
      'bytes_per_day',
    ])
    .orderBy('name')
    .orderBy('service')
    .execute()
  const plans = Map.groupBy(rows, ({ name }) => name)
  return [...plans].map(([name, limits]) => ({
    name,
    limits: limits.map((limit) => ({
      service: limit.service,
      requestsPerSecond: limit.requests_per_second,
      burst: limit.burst,
      requestsPerDay: limit.requests_per_day,
      bytesPerDay: limit.bytes_per_day,
    })),
  }))
}

/** Lists the limits of one plan, by service. */
export async function listLimitsOf(db: Db, name: string): Promise<UsagePlanLimit[]> {
  const plan = (await listAllUsagePlans(db)).find((each) => each.name === name)
  return plan?.limits ?? []
}

/** Replaces the limits of the plan. Creates the plan if it does not exist. */
export async function saveUsagePlan(
  tx: Db,
  { name, limits }: { name: string; limits: readonly UsagePlanLimit[] },
): Promise<void> {
  const services = limits.map(({ service }) => service)
  await tx
    .deleteFrom('usage_plan')
    .where('name', '=', name)
    .where('service', 'not in', services)
    .execute()
  await tx
    .insertInto('usage_plan')
    .values(
      limits.map((limit) => ({
        name,
        service: limit.service,
        requests_per_second: limit.requestsPerSecond,
        burst: limit.burst,
        requests_per_day: limit.requestsPerDay,
        bytes_per_day: limit.bytesPerDay ?? null,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['name', 'service']).doUpdateSet(({ ref }) => ({
        requests_per_second: ref('excluded.requests_per_second'),
        burst: ref('excluded.burst'),
        requests_per_day: ref('excluded.requests_per_day'),
        bytes_per_day: ref('excluded.bytes_per_day'),
      })),
    )
    .execute()
}

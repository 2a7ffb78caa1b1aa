import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Requests of a consumer to a service in a day (UTC). */
export type UsageOfDay = {
  consumerId: string
  /** Days since 1970. */
  day: number
  /** Requests that were let through. */
  requests: number
  /** Requests that a limit refused. */
  refused: number
  /** The most requests that one process let through in a second. */
  peakPerSecond: number
}

/**
 * Adds to the counts of consumers. The first request of another day starts them again, so there is one row for each
 * consumer. If it throws, nothing was added and the caller may repeat it, unless it throws DependencyUnavailable for a
 * database that does not say whether it committed.
 */
export async function addUsageOfDay(
  db: Db,
  service: string,
  usages: readonly UsageOfDay[],
): Promise<void> {
  const sum = (column: string) => {
    const [known, added] = [sql.ref(`known.${column}`), sql.ref(`excluded.${column}`)]
    return sql`case sign(excluded.day - known.day) when 0 then ${known} + ${added} when 1 then ${added} else ${known} end`
  }
  const add = sql`
    insert into usage_of_day as known (service, consumer_id, day, requests, refused, peak_per_second)
    select ${service}, usage."consumerId", usage.day, usage.requests, usage.refused, usage."peakPerSecond"
    from json_to_recordset(${JSON.stringify(usages)}::json) as usage (
      "consumerId" uuid, day integer, requests bigint, refused bigint, "peakPerSecond" integer)
    order by usage."consumerId"
    on conflict (consumer_id, service) do update set
      day = greatest(known.day, excluded.day),
      requests = ${sum('requests')},
      refused = ${sum('refused')},
      peak_per_second = case when excluded.day = known.day then greatest(known.peak_per_second, excluded.peak_per_second)
        when excluded.day > known.day then excluded.peak_per_second else known.peak_per_second end`
  await transact(db, (tx) => add.execute(tx))
}

/** Lists the counts of a consumer in a day, by service. */
export async function listUsageOfDay(
  db: Db,
  { consumerId, day }: Pick<UsageOfDay, 'consumerId' | 'day'>,
): Promise<Map<string, UsageOfDay>> {
  const { rows } = await sql<UsageOfDay & { service: string }>`
    select service, consumer_id as "consumerId", day, requests, refused, peak_per_second as "peakPerSecond"
    from usage_of_day where consumer_id = ${consumerId} and day = ${day}`.execute(db)
  return new Map(rows.map(({ service, ...usage }) => [service, usage]))
}

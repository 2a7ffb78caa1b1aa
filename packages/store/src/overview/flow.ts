import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** The number of print jobs received, and of letters despatched by a posting, in one minute. */
export type FlowMinute = { minutesAgo: number; came: number; despatched: number }

const minuteMs = 60_000

/**
 * Reads the last minutes, oldest first, with the current minute last. The keys of print jobs begin with their time of
 * arrival, so the primary key alone finds those of the period.
 */
export async function readFlow(
  db: Db,
  { minutes, now }: { minutes: number; now: Date },
): Promise<FlowMinute[]> {
  const first = keyOf(now.getTime() - minutes * minuteMs)
  const last = keyOf(now.getTime() + minuteMs)
  const { rows } = await sql<FlowMinute>`
    with moved as (
      select floor(extract(epoch from ${now}::timestamptz - uuid_extract_timestamp(key)) / 60)::integer as ago,
        1 as came, 0 as despatched
      from print_job where key >= ${first}::uuid and key < ${last}::uuid
      union all
      select floor(extract(epoch from ${now}::timestamptz - confirmed_at) / 60)::integer, 0, confirmed_count
      from posting where confirmed_at > ${now}::timestamptz - ${minutes}::integer * interval '1 minute'
    )
    select minute as "minutesAgo", coalesce(sum(came), 0)::bigint as came,
      coalesce(sum(despatched), 0)::bigint as despatched
    from generate_series(0, ${minutes - 1}::integer) as minute
    left join moved on greatest(moved.ago, 0) = minute
    group by minute order by minute desc`.execute(db)
  return rows
}

/** The smallest key for the time. */
function keyOf(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

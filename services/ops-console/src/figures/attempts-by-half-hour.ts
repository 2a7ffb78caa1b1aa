import { halfHoursUntil } from '@despatch/domain/calendar/half-hours'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** Attempts to deliver callbacks in the last 24 hours, by half hour. The last half hour has only begun. */
export type AttemptsByHalfHour = {
  /** When the first half hour began. */
  from: Date
  delivered: number[]
  failed: number[]
}

/** Attempts are counted in periods of ten seconds, which last for 25 hours. */
export async function readAttemptsByHalfHour(db: Db, now: Date): Promise<AttemptsByHalfHour> {
  const halfHours = halfHoursUntil(now)
  const from = halfHours[0]!
  const { rows } = await sql<{ place: number; delivered: number; failed: number }>`
    select place, coalesce(sum(count) filter (where subject = 'delivered'), 0)::bigint as delivered,
      coalesce(sum(count) filter (where subject = 'failed'), 0)::bigint as failed
    from generate_series(0, ${halfHours.length - 1}::integer) as place
    left join (
      select floor(extract(epoch from state::timestamptz - ${from}::timestamptz) / 1800)::integer as place, subject, count
      from (select subject, state, count from current_count
        where what = 'attempt' and state >= period_of_submission(${from}::timestamptz) offset 0) counted
    ) attempt using (place)
    group by place order by place`.execute(db)
  return {
    from,
    delivered: rows.map(({ delivered }) => delivered),
    failed: rows.map(({ failed }) => failed),
  }
}

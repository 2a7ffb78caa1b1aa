import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** What came in and went out in one London day. */
type DayVolume = { received: number; despatched: number; rejected: number }

/** The volumes of this London day so far, and of the whole same day a week ago. */
export type Today = {
  /** YYYY-MM-DD. */
  date: string
  soFar: DayVolume
  weekAgo: DayVolume
}

/** Reads the sums that the database keeps of each day. */
export async function readToday(db: Db, now: Date): Promise<Today> {
  const { rows } = await sql<DayVolume & { date: string }>`
    select to_char(known.day, 'YYYY-MM-DD') as date, coalesce(sum(accepted), 0)::bigint as received,
      coalesce(sum(letters), 0)::bigint as despatched, coalesce(sum(rejected), 0)::bigint as rejected
    from (select (${now}::timestamptz at time zone 'Europe/London')::date - back as day
      from unnest(array[0, 7]) as back) known
    left join current_volume volume on volume.day = known.day
    group by known.day order by known.day desc`.execute(db)
  const [{ date, ...soFar }, { date: _, ...weekAgo }] = rows as [
    (typeof rows)[number],
    (typeof rows)[number],
  ]
  return { date, soFar, weekAgo }
}

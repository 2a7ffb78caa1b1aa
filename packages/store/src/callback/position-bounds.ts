import { type RawBuilder, sql } from 'kysely'
import type { CallbackFilter } from './filter.ts'

/**
 * No transaction that creates callbacks takes longer than this, so the order of positions and the order of creation
 * times differ by at most this.
 */
const slackSeconds = 3_600

/**
 * Returns a condition on the positions of callbacks of `consumer` that were created in the requested time range.
 * Callbacks outside it are not read at all, however many there are.
 */
export function createdWithin({ createdFrom, createdTo }: CallbackFilter): RawBuilder<unknown> {
  const bounds = [
    createdFrom && sql`callback.position >= ${positionAt(later(createdFrom, -slackSeconds))}`,
    createdTo && sql`callback.position < ${positionAt(later(createdTo, slackSeconds))}`,
  ].filter((bound) => bound !== undefined)
  return bounds.length > 0 ? sql`${sql.join(bounds, sql` and `)}` : sql`true`
}

/** The consumer's first position at or after the given time, found by binary search. */
function positionAt(moment: Date) {
  return sql`(
    with recursive halves (low, high) as (
      select 0::bigint, coalesce(max(position), 0) + 1 from callback where consumer_id = consumer.id
      union all
      select case when middle.is_before then middle.position + 1 else low end,
        case when middle.is_before then high else (low + high) / 2 end
      from halves cross join lateral (
        select position, created_at < ${moment} as is_before from callback
        where consumer_id = consumer.id and position >= (low + high) / 2
        order by position limit 1) middle
      where low < high
    )
    select max(low) from halves)`
}

function later(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000)
}

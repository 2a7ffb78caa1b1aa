import { type RawBuilder, sql } from 'kysely'

/**
 * No transaction that adds rows takes longer than this, so the order of positions and the order of the times of rows
 * differ by at most this.
 */
const slackSeconds = 3_600

/** Rows whose positions are given in the order in which they are added, with an index on the position. */
export type PositionedRows = {
  table: RawBuilder<unknown>
  where: RawBuilder<unknown>
  position: RawBuilder<unknown>
  /** The time at which the transaction that added the row began. */
  at: RawBuilder<unknown>
}

/** SQL for a position before which no row has the time or a later one. */
export function positionFrom(rows: PositionedRows, moment: Date): RawBuilder<unknown> {
  return positionAt(rows, later(moment, -slackSeconds))
}

/** SQL for a position from which on no row has an earlier time. */
export function positionTo(rows: PositionedRows, moment: Date): RawBuilder<unknown> {
  return positionAt(rows, later(moment, slackSeconds))
}

/** The first position at or after the given time, found by binary search. */
function positionAt({ table, where, position, at }: PositionedRows, moment: Date) {
  return sql`(
    with recursive halves (low, high) as (
      select 0::bigint, coalesce(max(${position}), 0) + 1 from ${table} where ${where}
      union all
      select case when middle.is_before then middle.position + 1 else low end,
        case when middle.is_before then high else (low + high) / 2 end
      from halves cross join lateral (
        select ${position} as position, ${at} < ${moment} as is_before from ${table}
        where ${where} and ${position} >= (low + high) / 2
        order by ${position} limit 1) middle
      where low < high
    )
    select max(low) from halves)`
}

function later(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000)
}

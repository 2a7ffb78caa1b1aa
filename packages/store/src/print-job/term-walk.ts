import { searchHashBits, searchPeriodOf } from '@despatch/domain/print-job/key-time'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'

/** Keys of print jobs, newest first. `endsAt`: further ones may follow after this key. */
export type Stretch = { keys: string[]; endsAt: string | undefined }

export type KeySearch = {
  /** Keyed hashes of words. */
  hashes: string[]
  /** Newest first. */
  periods: readonly number[]
  before: string | undefined
  keysMax: number
}

/** Walks at most `walkMax` print jobs that have the first word, and reads those that have the others too. */
export async function walkKeys(
  db: Db,
  { hashes: [first, ...others], periods, before, keysMax }: KeySearch,
  walkMax: number,
): Promise<Stretch> {
  const onwards = before === undefined ? sql`` : sql`and print_job_key < ${before}`
  const hasOthers = others.map(
    (hash) => sql`and exists (
      select from search_term other
      where other.term = ${termIn(sql`walked.period`, hash)} and other.print_job_key = walked.print_job_key)`,
  )
  // The walk needs no order by: it reads the periods one after the other, and stops when it has enough.
  const { rows } = await sql<{ keys: string[]; walked: number; lastKey: string | null }>`
    with walked as materialized (
      select print_job_key, period from ${among(periods)} cross join lateral (
        select print_job_key from search_term
        where term = ${termIn(sql`period`, first!)} ${onwards} order by print_job_key desc limit ${walkMax}) one
      limit ${walkMax}
    ), found as materialized (
      select print_job_key from walked where true ${sql.join(hasOthers, sql` `)}
      order by print_job_key desc limit ${keysMax}
    )
    select coalesce((select array_agg(print_job_key order by print_job_key desc) from found), '{}') as keys,
      (select count(*) from walked) as walked,
      (select print_job_key from walked order by print_job_key limit 1) as "lastKey"`.execute(db)
  const { keys, walked, lastKey } = rows[0]!
  if (keys.length === keysMax) return { keys, endsAt: keys.at(-1) }
  return { keys, endsAt: walked === walkMax ? (lastKey ?? undefined) : undefined }
}

/** Returns the periods in which there are terms, newest first: each costs one look into the index. */
export async function listPeriods(db: Db, before: string | undefined): Promise<number[]> {
  const upTo =
    before === undefined
      ? sql``
      : sql`where term <= (${searchPeriodOf(before)}::bigint << ${bits} | (1::bigint << ${bits}) - 1)`
  const { rows } = await sql<{ periods: number[] }>`
    with recursive found as (
      (select term >> ${bits} as period from search_term ${upTo} order by term desc limit 1)
      union all
      select older.period from found cross join lateral (
        select term >> ${bits} as period from search_term
        where term < found.period << ${bits} order by term desc limit 1) older
    )
    select coalesce(array_agg(period::integer order by period desc), '{}') as periods from found`.execute(
    db,
  )
  return rows[0]!.periods
}

/** SQL for the periods as rows. */
export const among = (periods: readonly number[]) => sql`unnest(${periods}::integer[]) as period`

const bits = sql.raw(String(searchHashBits))

/** SQL for the term of a word in a period. */
export function termIn(period: RawBuilder<unknown>, hash: string): RawBuilder<unknown> {
  return sql`(${period}::bigint << ${bits} | ${hash}::bigint)`
}

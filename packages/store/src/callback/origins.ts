import type { OriginHealth } from '@despatch/domain/callback/origin-health'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** An origin that callbacks go to, with its problems. */
export type ListedCallbackOrigin = {
  origin: string
  breaker: OriginHealth['breaker']
  breakerUntil: Date | null
  failuresInRow: number
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
  /** The outcome of the last failed call. */
  lastOutcome: string | null
  due: number
  oldestDueAt: Date | null
  dead: number
}

type OriginPage = {
  /** The last origin of the previous page. */
  after?: string | undefined
  originsMax: number
}

/**
 * Lists by name the origins that have due or dead callbacks or a problem. Each origin is found from the previous one,
 * through the indexes.
 */
export async function listCallbackOriginPage(
  db: Db,
  { after, originsMax }: OriginPage,
): Promise<ListedCallbackOrigin[]> {
  const { rows } = await sql<ListedCallbackOrigin>`
    with recursive walk (origin, place) as (
      select ${after ?? ''}::text, 0
      union all
      select least(
        (select min(origin) from callback where origin > walk.origin and state = 'DUE'),
        (select min(origin) from callback where origin > walk.origin and state = 'DEAD'),
        (select min(origin) from callback_origin
          where origin > walk.origin and (breaker <> 'closed' or failures_in_row > 0))
      ), place + 1
      from walk where origin is not null and place < ${originsMax}
    )
    select walk.origin, coalesce(breaker, 'closed') as breaker, breaker_until as "breakerUntil",
      coalesce(failures_in_row, 0) as "failuresInRow", last_success_at as "lastSuccessAt",
      last_failure_at as "lastFailureAt", last_outcome as "lastOutcome",
      (select count(*) from callback where origin = walk.origin and state = 'DUE') as due,
      (select min(due_at) from callback where origin = walk.origin and state = 'DUE') as "oldestDueAt",
      (select count(*) from callback where origin = walk.origin and state = 'DEAD') as dead
    from walk left join callback_origin using (origin)
    where place > 0 and origin is not null
    order by place`.execute(db)
  return rows
}

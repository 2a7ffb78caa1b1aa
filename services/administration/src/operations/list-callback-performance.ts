import { listCallbackPerformance as operation } from '@despatch/contracts/administration/callback-operations'
import {
  type ConsumerPerformance,
  callbacksReadMax,
} from '@despatch/contracts/administration/callback-performance'
import { cursorAfter } from '@despatch/contracts/page'
import type { Api } from '@despatch/http/api'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { readHalfHours } from '../callback/half-hours.ts'

/** A callback has few attempts. If it is replayed often, the last ones count. */
const attemptsReadMax = 20

/** GET /callback-performance: lists success and latency of callbacks by consumer and origin. */
export function listCallbackPerformance(api: Api, { db, now }: { db: Db; now: () => Date }): void {
  api.route({
    ...operation,
    handler: async ({ query: { minutes, consumerId, cursor, limit } }) => {
      const at = now()
      const from = new Date(+at - minutes * 60_000)
      const search = { from, consumerId, after: cursor, consumersMax: limit }
      const consumers = await readPerformance(db, search)
      const halfHoursOf = await readHalfHours(db, consumers, at)
      return {
        from,
        consumers: consumers.map(({ origins, ...consumer }) => ({
          ...consumer,
          origins: origins.map((origin) => ({
            ...origin,
            halfHours: halfHoursOf(consumer.consumerId, origin.origin),
          })),
        })),
        ...cursorAfter(consumers, limit, ({ userName }) => userName),
      }
    },
  })
}

type PerformanceSearch = {
  from: Date
  consumerId?: string | undefined
  /** The user name of the last consumer of the previous page. */
  after?: string | undefined
  consumersMax: number
}

/** Reads the newest callbacks of each consumer by an index, up to `readMax`, and their attempts by key. */
export async function readPerformance(
  db: Db,
  { from, consumerId, after = '', consumersMax }: PerformanceSearch,
  readMax = callbacksReadMax,
): Promise<ConsumerPerformance[]> {
  const { rows } = await sql<ConsumerPerformance>`
    with page as materialized (
      select id, user_name, name from consumer
      where user_name collate "C" > ${after} and ${consumerId === undefined ? sql`true` : sql`id = ${consumerId}`}
        and ${from} <= (
          select created_at from callback where consumer_id = consumer.id order by position desc limit 1)
      order by user_name collate "C" limit ${consumersMax}
    ), read as materialized (
      select newest.* from page cross join lateral (
        select id, consumer_id, origin, state, created_at from callback
        where consumer_id = page.id order by position desc limit ${readMax}) newest
      where created_at >= ${from}
    ), period as (
      select consumer_id, count(*) = ${readMax} as is_part,
        case when count(*) = ${readMax} then min(created_at) else ${from} end as begin_at
      from read group by consumer_id
    ), attempted as (
      select consumer_id, read.origin, count(*) as attempts,
        count(*) filter (where outcome = 'delivered') as successes,
        percentile_disc(array[0.5, 0.95]) within group (order by duration_ms)
          filter (where http_status is not null or outcome = 'timeout') as percentiles
      from read join period using (consumer_id) cross join lateral (
        select outcome, http_status, duration_ms, started_at from callback_attempt
        where callback_id = read.id order by number desc limit ${attemptsReadMax}) attempt
      where started_at >= begin_at
      group by consumer_id, read.origin
    ), of_origin as (
      select consumer_id, origin, count(*) filter (where state in ('DUE', 'WAITING')) as open,
        count(*) filter (where state = 'DELIVERED') as delivered, count(*) filter (where state = 'DEAD') as dead
      from read group by consumer_id, origin
    )
    select page.id as "consumerId", page.user_name as "userName", page.name, period.begin_at as "from",
      period.is_part as "isPart", (
        select json_agg(json_build_object(
          'origin', origin, 'breaker', coalesce(breaker, 'closed'),
          'attempts', coalesce(attempts, 0), 'successes', coalesce(successes, 0),
          'p50Ms', percentiles[1], 'p95Ms', percentiles[2],
          'open', open, 'delivered', delivered, 'dead', dead) order by origin)
        from of_origin left join attempted using (consumer_id, origin) left join callback_origin using (origin)
        where consumer_id = page.id) as origins
    from page join period on period.consumer_id = page.id
    order by page.user_name collate "C"`.execute(db)
  return rows
}

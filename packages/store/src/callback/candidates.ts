import type {
  CallLimits,
  CallsOfOrigin,
  DueCallback,
  KnownOrigin,
} from '@despatch/domain/callback/choose'
import type { CallTally, OriginHealth } from '@despatch/domain/callback/origin-health'
import { firstAttemptWaitSeconds } from '@despatch/domain/callback/origin-turn'
import type pg from 'pg'

export type Candidates = {
  now: Date
  /** The callbacks that are due at the origins of this pass, with those that may precede them. */
  due: DueCallback[]
  origins: Map<string, KnownOrigin>
  calls: Map<string, CallsOfOrigin>
  /** The last origin that was examined. */
  lastOrigin: string | undefined
  /** Some origins were not examined. The end of a turn wakes who has taken it, so more callbacks of an origin do not count. */
  isPartial: boolean
  /** Some origins after these were not examined. */
  isCutShort: boolean
  /** As `dueAfter` for the next pass. */
  dueUntil: Date | undefined
}

const originsMax = 300
/**
 * How many callbacks are read beyond the free capacity, because some of them may be over the limits of their origin.
 */
const spareCallbacks = 64
/**
 * How many callbacks that have just become due are read, and of how many consumers one is found. Others that are due in the
 * same millisecond as the last are left to the walk.
 */
const newlyDueMax = 5_000
const newConsumersMax = 32
/** How many callbacks are read that follow others in their turns. */
const aheadMax = 512
/** While callbacks of some consumers are skipped, no more of an origin are read than this. */
const skippedMax = 1_000
/** A callback becomes due when its transaction begins, and is seen when it commits. */
const commitMs = 250

/**
 * Finds the callbacks to choose from. It visits the origins once, starting after `originAfter` and wrapping around. If
 * `dueAfter` is given, it first looks for a callback of each consumer that became due after it, so that nobody waits until
 * the origins of others have been visited. For each origin it reads the callbacks that have been due longest and have nothing before them. For an
 * origin at its limit, or with an open breaker, it reads those that may be called anyway, even if others of their print job are withheld. It skips callbacks of the consumers in `without`.
 */
export async function findCandidates(
  client: pg.PoolClient,
  given: {
    free: number
    limits: CallLimits
    without: readonly string[]
    originAfter?: string | undefined
    dueAfter?: Date | undefined
  },
): Promise<Candidates> {
  const { free, limits, without, originAfter = '', dueAfter } = given
  const perOriginMax = Math.min(free, limits.callsPerOriginMax)
  const callbacksMax =
    free + Math.max(perOriginMax, spareCallbacks) + (limits.turnLength > 1 ? aheadMax : 0)
  const { rows } = await client.query<{ found: Found }>({
    ...select,
    values: [
      originAfter,
      originsMax,
      perOriginMax,
      callbacksMax,
      limits.callsPerOriginMax,
      firstAttemptWaitSeconds,
      without,
      dueAfter ?? 'infinity',
      without.length > 0 ? skippedMax : null,
      limits.turnLength,
    ],
  })
  const { now, candidates, others, origins, calls, last, dueUntil } = rows[0]!.found
  const isFull = candidates.length === callbacksMax
  const isPartial = isFull || last?.place === originsMax
  const found = new Map(candidates.map((row) => [row[0], row]))
  return {
    now: new Date(now),
    // A callback may be found several times, for several reasons.
    due: [...new Map([...found.values(), ...others].map((row) => [row[0], toDue(row)])).values()],
    origins: new Map(origins.map((row) => [row[0], toKnown(row)])),
    calls: new Map(
      calls.map(([origin, underWay, callsMax]) => [origin, { underWay, callsMax }] as const),
    ),
    lastOrigin: last ? last.origin : given.originAfter,
    isPartial,
    // After wrapping around, the remaining origins have had their turn.
    isCutShort: isPartial && last?.isAhead === true,
    dueUntil: dueAfter && new Date(dueUntil),
  }
}

/** Times are in milliseconds. */
type DueRow = [
  id: string,
  origin: string,
  orderingKey: string,
  sequence: number,
  dueAt: number,
  owedSince: number,
  isFirst: boolean,
  windowEndsAt: number | null,
  isUnderWay: boolean,
  consumerId: string,
  callsMax: number,
  mayWaitInTurn: boolean,
]
type OriginRow = [
  origin: string,
  breaker: OriginHealth['breaker'],
  breakerUntil: number | null,
  failuresInRow: number,
  minutes: CallTally[],
  tokens: number | null,
  tokensAt: number | null,
]
type Found = {
  now: number
  candidates: DueRow[]
  others: DueRow[]
  origins: OriginRow[]
  calls: [origin: string, underWay: number, callsMax: number][]
  last: { origin: string; place: number; isAhead: boolean } | null
  dueUntil: number
}

function toDue(row: DueRow): DueCallback {
  const [
    id,
    origin,
    orderingKey,
    sequence,
    dueAt,
    owedSince,
    isFirst,
    windowEndsAt,
    isUnderWay,
    consumerId,
    callsMax,
    mayWaitInTurn,
  ] = row
  return {
    id,
    consumerId,
    origin,
    orderingKey,
    sequence,
    dueAt: new Date(dueAt),
    owedSince: new Date(owedSince),
    isFirst,
    windowEndsAt: windowEndsAt === null ? null : new Date(windowEndsAt),
    isUnderWay,
    callsMax,
    mayWaitInTurn,
  }
}

function toKnown(row: OriginRow): KnownOrigin {
  const [, breaker, until, failuresInRow, minutes, tokens, tokensAt] = row
  const breakerUntil = until === null ? null : new Date(until)
  return {
    health: { breaker, breakerUntil, failuresInRow, minutes },
    bucket: tokens === null || tokensAt === null ? null : { tokens, at: new Date(tokensAt) },
  }
}

// The time of the statement, not of the transaction. Callbacks that became owed since the transaction began are
// visible, and must not seem to be due later than those that follow them.
const clock = 'statement_timestamp()'

const ms = (moment: string) => `date_part('epoch', ${moment}) * 1000`
const asRow = (row: string) => `json_build_array(${row}.id, ${row}.origin,
        coalesce(${row}.print_job_key, ${row}.id), ${row}.sequence, ${ms(`${row}.due_at`)}, ${ms(`${row}.owed_since`)},
        ${row}.attempts = ${row}.attempts_before, ${ms(`${row}.window_ends_at`)}, ${row}.is_under_way, ${row}.consumer_id, ${row}.calls_max, ${row}.may_wait)`
const columns = `callback.id, callback.consumer_id, callback.origin, callback.print_job_key, callback.sequence,
  callback.due_at, callback.owed_since, callback.attempts, callback.attempts_before, callback.window_ends_at,
  callback.calls_max`
const inTurn = '(table in_turn)'
const isFree = `(callback.id, callback.attempt_epoch) not in ${inTurn}`
const waiting = `callback.state = 'DUE' and ${isFree}`
/** As `waiting`, in the words of the indexes that have some of these callbacks. */
const due = `due_at is not null and due_at <= ${clock} and ${isFree}`
const mayCall = 'callback.consumer_id <> all ($7::uuid[])'
/** Whether a `call` of a turn has not ended. */
const isUnderWay = `callback.id = call.id
  and coalesce(callback.attempt_epoch = call.version and callback.state = 'DUE', false)`
/** The calls under way at the origin of `walk`. A turn makes some of its calls at a time. */
const callsOf = `(
  select coalesce(sum(least(batch.calls_max, live.calls)), 0)::integer as calls, max(live.calls_max) as calls_max
  from callback_batch batch cross join lateral (
    select count(*) as calls, max(callback.calls_max) as calls_max
    from unnest(batch.subjects, batch.versions) as call (id, version) join callback on ${isUnderWay}) live
  where batch.origin = walk.origin)`

/** The callbacks of an origin up to now, by one of its times. A comparison of rows leaves the planner one index. */
const within = (time: string) =>
  `(origin, ${time}) >= (walk.origin, '-infinity'::timestamptz) and (origin, ${time}) <= (walk.origin, ${clock})`

const nextOrigin = (condition: string) => `
        select callback.origin from callback
        where ${waiting} and ${condition} order by callback.origin limit 1`

const select = {
  name: 'callbacks-candidates',
  text: `
    with recursive in_turn (id, version) as materialized (
      select call.* from callback_batch batch
      cross join lateral unnest(batch.subjects, batch.versions) as call (id, version)
    ), ahead (origin, place) as (
      select first.*, 1 from (${nextOrigin('callback.origin > $1::text')}) first
      union all
      select next.*, place + 1 from ahead
      cross join lateral (${nextOrigin('callback.origin > ahead.origin')}) next
      where place < $2::integer
    ), wrapped (origin, place) as (
      select first.*, (select count(*) from ahead)::integer + 1 from (${nextOrigin('callback.origin <= $1::text')}) first
      where (select count(*) from ahead) < $2::integer
      union all
      select next.*, place + 1 from wrapped
      cross join lateral (${nextOrigin('callback.origin > wrapped.origin and callback.origin <= $1::text')}) next
      where place < $2::integer
    ), newly_due as materialized (
      select consumer_id, origin, due_at from callback
      where ${waiting} and due_at > $8::timestamptz and due_at <= ${clock}
      order by due_at limit ${newlyDueMax}
    ), walk (origin, place) as materialized (
      (select origin, 0 from (
        select distinct on (consumer_id) origin, due_at from newly_due where consumer_id <> all ($7::uuid[])
        order by consumer_id, due_at) first
        order by due_at limit ${newConsumersMax})
      union all select * from ahead union all select * from wrapped
    ), candidate as materialized (
      select found.*, false as is_under_way, standing.calls, standing.under_way_max, walk.place from walk
      cross join lateral (
        select
          case place when 0 then 1 else least($3::integer, calls_max) end as wanted, calls, under_way_max,
          case place when 0 then 1 else greatest(1, least($10::integer, ${aheadMax} / (select count(*) from walk) / calls_max)) end as turn,
          exists (select from callback_origin where origin = walk.origin and breaker_until > ${clock}) as is_shut,
          greatest(0, calls_max - calls)::integer as room
        from (
          select calls, coalesce(under_way.calls_max, 0) as under_way_max,
            least($5::integer, greatest(under_way.calls_max, first.calls_max)) as calls_max
          from ${callsOf} under_way
          left join lateral (
            select calls_max from callback where ${waiting} and ${within('due_at')} order by origin, due_at limit 1) first
          on true
          offset 0
        ) allowed
        offset 0
      ) standing
      cross join lateral (
        (select ${columns}, true as is_promised, false as may_wait from (
          select * from callback
            where ${due} and window_ends_at is not null and ${within('window_ends_at')}
            order by origin, window_ends_at limit $9::integer) callback
          where ${mayCall} order by origin, window_ends_at limit wanted)
        union all
        (select ${columns}, false, not is_mate_retried and coalesce(due_at < window_ends_at and window_ends_at > ${clock}, true) from (
          select * from callback
            where ${waiting} and not is_shut and ${within('due_at')}
            order by origin, due_at limit $9::integer) callback
          cross join lateral (
            select coalesce(bool_or((mate.id, mate.attempt_epoch) in ${inTurn}
                or mate.sequence < callback.sequence and mate.due_at <= ${clock}), false) as is_behind,
              coalesce(bool_or(mate.window_ends_at is not null), false) as is_mate_retried
            from callback mate
            where mate.print_job_key = callback.print_job_key and coalesce(mate.state = 'DUE', false)
              and mate.sequence <> callback.sequence
          ) mates
          where ${mayCall} and not is_behind
          order by origin, due_at limit least(wanted, room) * turn)
        union all
        (select ${columns}, true, false from (
          select * from callback
            where ${due} and origin = walk.origin and is_shut
              and (attempts = attempts_before or window_ends_at is null)
              and owed_since <= ${clock} - $6::double precision * interval '1 second'
            order by owed_since limit $9::integer) callback
          where ${mayCall} order by owed_since limit least(wanted, room))
      ) found
      limit $4::integer
    ), visited as materialized (
      select distinct origin, calls, under_way_max from candidate
    ), other as (
      select mate.* from candidate
      cross join lateral (
        select ${columns}, (callback.id, callback.attempt_epoch) in ${inTurn} as is_under_way, false as may_wait from callback
        where callback.print_job_key = candidate.print_job_key and callback.sequence <> candidate.sequence
          and callback.state = 'DUE' offset 0
      ) mate
      where candidate.is_promised
    )
    select json_build_object(
      'now', ${ms(clock)},
      'candidates', (select coalesce(json_agg(${asRow('candidate')} order by candidate.place), '[]') from candidate),
      'others', (select coalesce(json_agg(${asRow('other')}), '[]') from other),
      'calls', (select coalesce(json_agg(json_build_array(origin, calls, under_way_max)), '[]') from visited),
      'origins', (
        select coalesce(json_agg(json_build_array(known.origin, breaker, ${ms('breaker_until')}, failures_in_row,
          minutes, tokens, ${ms('tokens_at')})), '[]')
        from visited join callback_origin known using (origin)),
      'last', (
        select json_build_object('origin', origin, 'place', place, 'isAhead', origin > $1::text) from (
          (select origin, place from candidate where (select count(*) from candidate) >= $4::integer)
          union all
          (select origin, place from walk where (select count(*) from candidate) < $4::integer)
        ) looked_at
        where place > 0
        order by place desc limit 1),
      'dueUntil', (
        select ${ms(`case when count(*) = ${newlyDueMax} then max(due_at) + interval '1 ms'
          else ${clock} - interval '${commitMs} ms' end`)}
        from newly_due)
    ) as found`,
}

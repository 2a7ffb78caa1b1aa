import { windowEndOf } from '@despatch/domain/callback/retry'
import type { RetryParams } from '@despatch/domain/print-job/params'
import type { Leased, Placed } from '@despatch/work/kind'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'

/** The turn of an origin. */
type Turn = Placed & { taken_at: Date; leased_until: Date }

/** Callbacks as a kind of work: a batch is the turn of an origin. Their version is `attempt_epoch`. */
export const callbackKind = { name: 'callback', interrupt } satisfies Leased<Turn>

type Interrupted = {
  id: string
  startedAt: Date
  lostAt: Date
  firstAttemptAt: Date | null
  retryParams: RetryParams | null
}

/**
 * Records each call whose process died as an interrupted attempt, because it may have arrived. Its callback stays due as
 * before. The end of a turn may not have been called yet, which nobody knows.
 */
async function interrupt(tx: Tx, turns: readonly Turn[]): Promise<number> {
  const calls = turns.flatMap(({ subjects, versions, taken_at, leased_until }) =>
    subjects.map((id, place) => ({
      id,
      version: versions[place]!,
      takenAt: taken_at,
      lostAt: leased_until,
    })),
  )
  if (calls.length === 0) return 0
  const { rows } = await sql<Interrupted>`
    select callback.id, call.taken_at as "startedAt", call.lost_at as "lostAt", callback.first_attempt_at as "firstAttemptAt",
      coalesce(callback.retry_params, job.callback_params -> 'retryParams') as "retryParams"
    from unnest(${calls.map(({ id }) => id)}::uuid[], ${calls.map(({ version }) => version)}::integer[],
      ${calls.map(({ takenAt }) => takenAt)}::timestamptz[], ${calls.map(({ lostAt }) => lostAt)}::timestamptz[]
    ) as call (id, version, taken_at, lost_at)
    join callback on callback.id = call.id and coalesce(attempt_epoch = call.version and state = 'DUE', false)
    left join print_job job on job.key = callback.print_job_key
    order by callback.id for no key update of callback`.execute(tx)
  const interrupted = rows.map(({ id, startedAt, lostAt, firstAttemptAt, retryParams }) => {
    const first = firstAttemptAt ?? startedAt
    return {
      id,
      started_at: startedAt,
      duration_ms: lostAt.getTime() - startedAt.getTime(),
      first_attempt_at: first,
      window_ends_at: windowEndOf(retryParams ?? undefined, first),
    }
  })
  await sql`
    with interrupted as (
      select * from json_to_recordset(${JSON.stringify(interrupted)}::json) as row (
        id uuid, started_at timestamptz, duration_ms integer, first_attempt_at timestamptz, window_ends_at timestamptz)
    ), recorded as (
      update callback set
        attempts = attempts + 1,
        attempt_epoch = attempt_epoch + 1,
        first_attempt_at = interrupted.first_attempt_at,
        window_ends_at = coalesce(callback.window_ends_at, interrupted.window_ends_at)
      from interrupted where callback.id = interrupted.id
      returning callback.id, callback.attempts, callback.due_at, interrupted.started_at, interrupted.duration_ms
    )
    insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome, next_at)
    select id, attempts, due_at, started_at, duration_ms, 'interrupted', now() from recorded`.execute(
    tx,
  )
  return rows.length
}

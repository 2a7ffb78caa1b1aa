import { windowEndOf } from '@despatch/domain/callback/retry'
import type { RetryParams } from '@despatch/domain/print-job/params'
import type pg from 'pg'

/**
 * Ends the calls of processes that died during the call, once their leases have expired. Each is recorded as an
 * interrupted attempt, because it may have arrived, and the callback stays due as before. Handles a bounded number per
 * call.
 */
export async function recordInterruptedCalls(
  client: pg.PoolClient,
  leaseSeconds: number,
): Promise<void> {
  const { rows } = await client.query<LostRow>({ ...select, values: [leaseSeconds] })
  if (rows.length === 0) return
  const lost = rows.map(({ id, startedAt, firstAttemptAt, retryParams }) => {
    const first = firstAttemptAt ?? startedAt
    return {
      id,
      started_at: startedAt,
      first_attempt_at: first,
      window_ends_at: windowEndOf(retryParams ?? undefined, first),
    }
  })
  await client.query({ ...record, values: [JSON.stringify(lost), Math.round(leaseSeconds * 1000)] })
}

type LostRow = {
  id: string
  startedAt: Date
  firstAttemptAt: Date | null
  retryParams: RetryParams | null
}

const lostMax = 500

const select = {
  name: 'callbacks-lost',
  text: `
    select lost.id, lost.lease_until - $1::double precision * interval '1 second' as "startedAt",
      lost.first_attempt_at as "firstAttemptAt", coalesce(lost.retry_params, job.retry_params) as "retryParams"
    from (
      select * from callback
      where state = 'DUE' and lease_until is not null and lease_until <= now()
      limit ${lostMax} for no key update skip locked
    ) lost
    left join lateral (
      select callback_params -> 'retryParams' as retry_params from print_job where key = lost.print_job_key offset 0
    ) job on true`,
}

const record = {
  name: 'callbacks-record-lost',
  text: `
    with lost as (
      select * from json_to_recordset($1::json) as row (
        id uuid, started_at timestamptz, first_attempt_at timestamptz, window_ends_at timestamptz)
    ), recorded as (
      update callback set
        attempts = attempts + 1,
        attempt_epoch = attempt_epoch + 1,
        first_attempt_at = lost.first_attempt_at,
        window_ends_at = coalesce(callback.window_ends_at, lost.window_ends_at),
        lease_until = null
      from lost where callback.id = lost.id
      returning callback.id, callback.attempts, callback.due_at, lost.started_at
    )
    insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome, next_at)
    select id, attempts, due_at, started_at, $2::integer, 'interrupted', now() from recorded`,
}

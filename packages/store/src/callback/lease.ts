import type { CallbackKind } from '@despatch/domain/callback/callback-state'
import type { Choice, KnownOrigin } from '@despatch/domain/callback/choose'
import type { RetryParams } from '@despatch/domain/print-job/params'
import type pg from 'pg'

/** A callback that one process has taken. */
export type TakenCallback = {
  id: string
  /** The turn of its origin, which has its lease, and how many callbacks of the turn are called at once. */
  batch: string
  atOnce: number
  epoch: number
  consumerId: string
  /** Null: a test message. */
  printJobKey: string | null
  kind: CallbackKind
  sequence: number
  body: Buffer
  origin: string
  /** Attempts recorded so far, and how many of them were made before the current window. */
  attempts: number
  attemptsBefore: number
  owedSince: Date
  firstAttemptAt: Date | null
  windowEndsAt: Date | null
  plannedAt: Date
  /** By the database's clock. */
  takenAt: Date
  retryParams: RetryParams | undefined
  destinationSealed: Buffer | null
  correlationId: string
  /** W3C traceparent of the print job; null: it is not traced, or it is a test message. */
  traceContext: string | null
}

/**
 * Carries out a choice: leases the chosen callbacks, in a batch for each origin, and writes the changes to origins. Skips
 * callbacks that have ended since. Sends every statement before it waits for any, so that the caller can send COMMIT right
 * after them.
 */
export async function leaseCallbacks(
  client: pg.PoolClient,
  { turns, origins }: Choice,
  given: {
    leaseSeconds: number
    origins: ReadonlyMap<string, KnownOrigin>
    newBatch: () => string
  },
): Promise<TakenCallback[]> {
  const taken = turns.flatMap(({ callbacks, atOnce }) => {
    const batch = given.newBatch()
    return callbacks.map((id) => ({ id, batch, atOnce }))
  })
  const buckets = origins.map(({ origin, bucket }) => ({ origin, ...bucket }))
  const [{ rows }] = await Promise.all([
    client.query<LeasedRow>({
      ...lease,
      values: [
        taken.map(({ id }) => id),
        taken.map(({ batch }) => batch),
        taken.map(({ atOnce }) => atOnce),
        given.leaseSeconds,
        JSON.stringify(buckets),
      ],
    }),
    // Comes after the statement that writes the buckets, which locks these origins in the common order.
    recordProbes(client, origins, given.origins),
  ])
  return rows.map(({ retryParams, ...row }) => ({ ...row, retryParams: retryParams ?? undefined }))
}

type LeasedRow = Omit<TakenCallback, 'retryParams'> & { retryParams: RetryParams | null }

/**
 * Records the probes that the choice started. Skips a breaker that has changed since it was read for the choice,
 * because calls that end are counted concurrently.
 */
async function recordProbes(
  client: pg.PoolClient,
  origins: Choice['origins'],
  known: ReadonlyMap<string, KnownOrigin>,
): Promise<void> {
  const probed = origins.flatMap(({ origin, health }) => {
    const before = known.get(origin)?.health
    if (!before || before.breakerUntil?.getTime() === health.breakerUntil?.getTime()) return []
    return [{ origin, ...health, wasUntil: before.breakerUntil }]
  })
  if (probed.length === 0) return
  await client.query({ ...probe, values: [JSON.stringify(probed)] })
}

const probe = {
  name: 'callbacks-probe',
  text: `
    update callback_origin known set breaker = probed.breaker, breaker_until = probed."breakerUntil"
    from json_to_recordset($1::json) as probed (
      origin text, breaker text, "breakerUntil" timestamptz, "wasUntil" timestamptz)
    where known.origin = probed.origin and known.breaker_until is not distinct from probed."wasUntil"`,
}

const lease = {
  name: 'callbacks-lease',
  text: `
    with bucket as (
      insert into callback_origin (origin, tokens, tokens_at)
      select origin, tokens, at from json_to_recordset($5::json) as row (origin text, tokens double precision, at timestamptz)
      order by origin
      on conflict (origin) do update set tokens = excluded.tokens, tokens_at = excluded.tokens_at
    ), leased as (
      select callback.*, taken.batch, taken.at_once, taken.place
      from unnest($1::uuid[], $2::uuid[], $3::integer[]) with ordinality as taken (id, batch, at_once, place)
      join callback on callback.id = taken.id and coalesce(state = 'DUE', false)
    ), batch as (
      insert into callback_batch (id, origin, subjects, versions, calls_max, leased_until)
      select batch, origin, array_agg(id order by place), array_agg(attempt_epoch order by place), at_once,
        now() + $4::double precision * interval '1 second'
      from leased group by batch, origin, at_once
    )
    select leased.id, leased.batch, leased.at_once as "atOnce", leased.attempt_epoch as epoch, leased.consumer_id as "consumerId", leased.print_job_key as "printJobKey",
      leased.kind, leased.sequence, leased.body, leased.origin, leased.attempts, leased.attempts_before as "attemptsBefore",
      leased.owed_since as "owedSince", leased.first_attempt_at as "firstAttemptAt", leased.window_ends_at as "windowEndsAt",
      leased.due_at as "plannedAt", now() as "takenAt",
      coalesce(leased.retry_params, job.callback_params -> 'retryParams') as "retryParams",
      coalesce(leased.destination_sealed, job.callback_destination_sealed) as "destinationSealed",
      coalesce(job.correlation_id, leased.id::text) as "correlationId",
      job.trace_context as "traceContext"
    from leased
    left join lateral (
      select callback_params, callback_destination_sealed, correlation_id, trace_context
      from print_job where print_job.key = leased.print_job_key offset 0
    ) job on true
    order by leased.place`,
}

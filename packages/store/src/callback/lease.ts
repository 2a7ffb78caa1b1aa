import type { CallbackKind } from '@despatch/domain/callback/callback-state'
import type { Choice, KnownOrigin } from '@despatch/domain/callback/choose'
import type { RetryParams } from '@despatch/domain/print-job/params'
import type pg from 'pg'

/** A callback that one process has taken. */
export type TakenCallback = {
  id: string
  /** The lease of the call. */
  batch: string
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

/** What became of batches since the last pass. */
export type EndedBatches = {
  batches: readonly string[]
  /** Their calls that have not ended. These join the next batch, so that a call that hangs keeps no long batch. */
  underWay: readonly Pick<TakenCallback, 'id' | 'epoch' | 'origin' | 'takenAt'>[]
}

export const noneEnded: EndedBatches = { batches: [], underWay: [] }

/**
 * Carries out a choice: leases the chosen callbacks as one batch and writes the changes to origins. Skips callbacks that
 * have ended since. Sends every statement before it waits for any, so that the caller can send COMMIT right after them.
 */
export async function leaseCallbacks(
  client: pg.PoolClient,
  { taken, origins }: Choice,
  given: {
    leaseSeconds: number
    origins: ReadonlyMap<string, KnownOrigin>
    ended: EndedBatches
  },
): Promise<LeasedCallbacks> {
  const { batches, underWay } = given.ended
  const buckets = origins.map(({ origin, bucket }) => ({ origin, ...bucket }))
  const [{ rows }] = await Promise.all([
    client.query<LeasedRow>({
      ...lease,
      values: [
        taken,
        given.leaseSeconds,
        JSON.stringify(buckets),
        batches,
        underWay.map(({ id }) => id),
        underWay.map(({ epoch }) => epoch),
        underWay.map(({ origin }) => origin),
        underWay.map(({ takenAt }) => takenAt),
      ],
    }),
    // Comes after the statement that writes the buckets, which locks these origins in the common order.
    recordProbes(client, origins, given.origins),
  ])
  const callbacks = rows.filter(({ id }) => id !== null)
  return {
    batch: rows[0]?.batch,
    callbacks: callbacks.map(({ retryParams, ...row }) => ({
      ...row,
      retryParams: retryParams ?? undefined,
    })),
  }
}

/** Without a batch, nothing is under way. */
type LeasedCallbacks = { batch: string | undefined; callbacks: TakenCallback[] }

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
    with ended as (
      delete from callback_batch where id = any ($4::uuid[])
    ), bucket as (
      insert into callback_origin (origin, tokens, tokens_at)
      select origin, tokens, at from json_to_recordset($3::json) as row (origin text, tokens double precision, at timestamptz)
      order by origin
      on conflict (origin) do update set tokens = excluded.tokens, tokens_at = excluded.tokens_at
    ), leased as (
      select callback.*, taken.place from unnest($1::uuid[]) with ordinality as taken (id, place)
      join callback on callback.id = taken.id and coalesce(state = 'DUE', false)
    ), batch as (
      insert into callback_batch (subjects, versions, lanes, taken_at, leased_until)
      select array_agg(id), array_agg(epoch), array_agg(lane), array_agg(taken_at),
        now() + $2::double precision * interval '1 second'
      from (
        select id, attempt_epoch as epoch, origin as lane, now() as taken_at from leased
        union all
        select * from unnest($5::uuid[], $6::integer[], $7::text[], $8::timestamptz[])
      ) call
      having count(*) > 0
      returning id
    )
    select leased.id, batch.id as batch, leased.attempt_epoch as epoch, leased.consumer_id as "consumerId", leased.print_job_key as "printJobKey",
      leased.kind, leased.sequence, leased.body, leased.origin, leased.attempts, leased.attempts_before as "attemptsBefore",
      leased.owed_since as "owedSince", leased.first_attempt_at as "firstAttemptAt", leased.window_ends_at as "windowEndsAt",
      leased.due_at as "plannedAt", now() as "takenAt",
      coalesce(leased.retry_params, job.callback_params -> 'retryParams') as "retryParams",
      coalesce(leased.destination_sealed, job.callback_destination_sealed) as "destinationSealed",
      coalesce(job.correlation_id, leased.id::text) as "correlationId",
      job.trace_context as "traceContext"
    from batch left join leased on true
    left join lateral (
      select callback_params, callback_destination_sealed, correlation_id, trace_context
      from print_job where print_job.key = leased.print_job_key offset 0
    ) job on true
    order by leased.place`,
}

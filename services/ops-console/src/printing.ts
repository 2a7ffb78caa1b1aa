import type { Db } from '@despatch/store/database'
import { lateSeconds } from '@despatch/store/print-run/gather'
import { sql } from 'kysely'
import { countedMax } from './waiting-work.ts'

/** A single failure may be chance. */
const failuresShown = 3

/** A count, how long the oldest has waited, in seconds, and in which print run; null if there is none. */
export type Waiting = { count: number; oldestSeconds: number | null; oldestRun: string | null }

/** What blocks the work of print providers. */
export type Printing = {
  /** Print runs that nobody has claimed days after their expected despatch date. */
  overdue: Waiting
  /** Print runs whose release fails, or has been in progress for ten minutes. */
  unreleased: Waiting
  /** Claimed print runs whose lease expired without an acknowledgement. */
  unacknowledged: Waiting
  /** Print runs refused by their provider as a whole, of which an operator has not decided where each letter goes. */
  refused: Waiting
  /** Reprints that wait for a decision by a second person. */
  reprints: Waiting
  /** PENDING print jobs that no site could take when they were last checked. Counted up to `countedMax`. */
  unroutable: Waiting
  /** Recalls that a provider has not answered. */
  recalls: Waiting
}

/** Reads unfinished work through its indexes. Days are London days. */
export async function readPrinting(db: Db): Promise<Printing> {
  const { rows } = await sql<Waiting & { name: keyof Printing }>`
    with live as (
      select batch_number, state, expected_despatch_on, lease_until, refusal, acknowledged_at, release_began_at, release_failures
      from print_run where state not in ('CLOSED', 'VOIDED')
    ), waiting as (
      select 'overdue' as name, (expected_despatch_on + 1)::timestamp at time zone 'Europe/London' as since, batch_number
      from live
      where state in ('OPEN', 'RELEASED') and expected_despatch_on < (now() at time zone 'Europe/London')::date
      union all
      select 'unreleased', release_began_at, batch_number from live
      where state = 'OPEN' and release_began_at is not null
        and (release_failures >= ${failuresShown}::integer or release_began_at < now() - interval '10 minutes')
      union all
      select 'unacknowledged', lease_until, batch_number from live where state = 'CLAIMED' and lease_until < now()
      union all
      select 'refused', acknowledged_at, batch_number from live
      where state = 'REFUSED' and refusal is not null and exists (
        select from print_run_document document
        where document.batch_number = live.batch_number and document.removed_at is null and document.voided_at is null
          and document.outcome is null)
      union all
      select 'reprints', requested_at, batch_number from reprint where state = 'WAITING'
      union all
      (select 'unroutable', updated_at, null from print_job job
      where ${isUnroutable} order by updated_at limit ${countedMax})
      union all
      select 'recalls', requested_at, batch_number from recall_request where state = 'OPEN'
    )
    select name, count(waiting.since) as count,
      extract(epoch from now() - min(waiting.since))::double precision as "oldestSeconds",
      (array_agg(waiting.batch_number order by waiting.since))[1] as "oldestRun"
    from unnest(${names}::text[]) as asked (name)
    left join waiting using (name)
    group by name`.execute(db)
  const { overdue, unreleased, unacknowledged, refused, reprints, unroutable, recalls } =
    Object.fromEntries(rows.map(({ name, ...waiting }) => [name, waiting])) as Printing
  return { overdue, unreleased, unacknowledged, refused, reprints, unroutable, recalls }
}

/**
 * SQL condition on `job`: no site could take it when it was last checked. Repeats the condition of the index
 * print_job_unroutable. A print job that only came too late waits less long.
 */
export const isUnroutable = sql<boolean>`(
  job.status = 'PENDING' and job.batch_number is null and job.deleted_at is null and job.held_at is null
  and job.route_after > coalesce(job.not_before, '-infinity'::timestamptz)
  and (job.not_before is null or job.not_before <= now())
  and job.route_after > now() + ${lateSeconds}::integer * interval '1 second')`

const names: readonly (keyof Printing)[] = [
  'overdue',
  'unreleased',
  'unacknowledged',
  'refused',
  'reprints',
  'unroutable',
  'recalls',
]

import type { Db } from '@despatch/store/database'
import { named, readyJobs } from '@despatch/store/print-run/waiting-groups'
import { sql } from 'kysely'
import { listUnroutableGroups } from './unproduced-classes.ts'
import { countedMax } from './waiting-work.ts'

/** A single failure may be chance. */
const failuresShown = 3

/** A count, how long the oldest has waited, in seconds, and in which print run; null if there is none. */
type Waiting = { count: number; oldestSeconds: number | null; oldestRun: string | null }

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
  /** PENDING print jobs that no site can take now. Counted up to `countedMax`. */
  unroutable: Waiting
  /** Recalls that a provider has not answered. */
  recalls: Waiting
}

/** Reads unfinished work through its indexes. Days are London days. */
export async function readPrinting(db: Db): Promise<Printing> {
  const { at, groups } = await listUnroutableGroups(db)
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
      (select 'unroutable', ready.updated_at, null
      from ${named(groups)}
      cross join lateral (${readyJobs('reading', at, sql`job.updated_at`)} limit ${countedMax}) ready
      limit ${countedMax})
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

const names: readonly (keyof Printing)[] = [
  'overdue',
  'unreleased',
  'unacknowledged',
  'refused',
  'reprints',
  'unroutable',
  'recalls',
]

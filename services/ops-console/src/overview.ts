import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { type PrintRunState, printRunStates } from '@despatch/domain/print-run/state'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { type Printing, readPrinting } from './printing.ts'
import { readWaitingWork, type WaitingWork } from './waiting-work.ts'

/** An overview for operations. Ages are in seconds, by the database's clock. */
export type Overview = {
  printJobs: StatusCount[]
  parked: { count: number; oldestSeconds: number | null }
  work: WaitingWork
  /** Wake-ups that wait to be relayed to their queue. `later` are planned ones: retries of callbacks. */
  outbox: {
    due: number
    later: number
    oldestSeconds: number | null
    /** Wake-ups for queues that this release does not know. No other figure counts them. */
    unknown: number
  }
  callbacks: {
    /** Callbacks in state DUE: their next attempt is planned or in progress. */
    due: number
    /**
     * The longest time that a callback has been due without a call although its origin is not shut. Null if there is
     * none.
     */
    lateSeconds: number | null
    deadLastDay: number
  }
  printRuns: { state: OpenRunState; count: number; documents: number; oldestSeconds: number }[]
  printing: Printing
}

type OpenRunState = Exclude<PrintRunState, 'CLOSED' | 'VOIDED'>

export type StatusCount = {
  status: PrintJobStatus
  count: number
  /** Seconds since the oldest print job entered the status. Null for final statuses. */
  oldestSeconds: number | null
  /** True for finished print jobs if there are too many to count. */
  isEstimate: boolean
}

/** Up to this table size, some ten thousand print jobs, counting takes milliseconds. */
const defaultCountableBytes = 64 * 1024 * 1024

type LiveStatus = 'QUARANTINE' | 'VALIDATING' | 'PENDING' | 'PRODUCTION'

/**
 * Reads the figures, one query each. Each query reads an index of unfinished work or a bounded part of the rest, so
 * that millions of finished print jobs cost nothing.
 */
export async function readOverview(
  db: Db,
  {
    queues,
    countableBytes = defaultCountableBytes,
  }: { queues: readonly string[]; countableBytes?: number },
): Promise<Overview> {
  const [live, finished, parked, work, outbox, callbacks, printRuns, printing] = await Promise.all([
    countLivePrintJobs(db),
    countFinishedPrintJobs(db, countableBytes),
    countParked(db),
    readWaitingWork(db),
    countOutbox(db, queues),
    countCallbacks(db),
    countPrintRuns(db),
    readPrinting(db),
  ])
  return { printJobs: [...live, ...finished], parked, work, outbox, callbacks, printRuns, printing }
}

/** Repeats the condition of the index print_job_live; otherwise PostgreSQL would not use it. */
async function countLivePrintJobs(db: Db): Promise<StatusCount[]> {
  const { rows } = await sql<{ status: LiveStatus; count: number; oldestSeconds: number | null }>`
    select live.status, count(job.status) as count,
      extract(epoch from now() - min(job.updated_at))::double precision as "oldestSeconds"
    from unnest(array['QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION']) with ordinality as live (status, place)
    left join (
      select status, updated_at from print_job
      where status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION') and deleted_at is null
    ) job using (status)
    group by live.status, live.place order by live.place`.execute(db)
  return rows.map((row) => ({ ...row, isEstimate: false }))
}

async function countFinishedPrintJobs(db: Db, countableBytes: number): Promise<StatusCount[]> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_relation_size('print_job') as bytes`.execute(db)
  return rows[0]!.bytes <= countableBytes
    ? countFinishedOneByOne(db)
    : estimateFinishedPrintJobs(db)
}

async function countFinishedOneByOne(db: Db): Promise<StatusCount[]> {
  const { rows } = await sql<{ status: 'DESPATCHED' | 'REJECTED'; count: number }>`
    select finished.status, count(job.status) as count
    from unnest(array['DESPATCHED', 'REJECTED']) with ordinality as finished (status, place)
    left join print_job job using (status)
    group by finished.status, finished.place order by finished.place`.execute(db)
  return rows.map((row) => ({ ...row, oldestSeconds: null, isEstimate: false }))
}

/** Uses PostgreSQL's statistics about the table, which are renewed when about a tenth of it has changed. */
async function estimateFinishedPrintJobs(db: Db): Promise<StatusCount[]> {
  const { rows } = await sql<{ status: 'DESPATCHED' | 'REJECTED'; count: number }>`
    select finished.status, round(coalesce((
        select greatest(reltuples, 0) from pg_class where oid = 'print_job'::regclass
      ) * (
        select share from pg_stats,
          unnest(most_common_vals::text::text[], most_common_freqs) as common (status, share)
        where schemaname = current_schema() and tablename = 'print_job' and attname = 'status'
          and common.status = finished.status
      ), 0))::bigint as count
    from unnest(array['DESPATCHED', 'REJECTED']) as finished (status)`.execute(db)
  return rows.map((row) => ({ ...row, oldestSeconds: null, isEstimate: true }))
}

async function countParked(db: Db): Promise<Overview['parked']> {
  const { rows } = await sql<Overview['parked']>`
    select count(*) as count,
      extract(epoch from now() - min(parked_at))::double precision as "oldestSeconds"
    from print_job where parked_at is not null`.execute(db)
  return rows[0]!
}

async function countOutbox(db: Db, queues: readonly string[]): Promise<Overview['outbox']> {
  const { rows } = await sql<Overview['outbox']>`
    select count(*) filter (where is_known and due_at <= now()) as due,
      count(*) filter (where is_known and due_at > now()) as later,
      extract(epoch from now() - min(due_at) filter (where is_known and due_at <= now()))::double precision
        as "oldestSeconds",
      count(*) filter (where not is_known) as unknown
    from (select due_at, queue = any (${[...queues]}::text[]) as is_known from outbox) task`.execute(
    db,
  )
  return rows[0]!
}

/**
 * Each origin's longest-due callback is found from the previous origin. No callback counts as late where the breaker is
 * open.
 */
async function countCallbacks(db: Db): Promise<Overview['callbacks']> {
  const { rows } = await sql<Overview['callbacks']>`
    with recursive oldest (origin, due_at) as (
      (select origin, due_at from callback where state = 'DUE' and lease_until is null order by origin, due_at limit 1)
      union all
      select next.* from oldest cross join lateral (
        select callback.origin, callback.due_at from callback
        where state = 'DUE' and lease_until is null and callback.origin > oldest.origin
        order by callback.origin, callback.due_at limit 1) next
    )
    select
      (select count(*) from callback where state = 'DUE' and lease_until is null)
        + (select count(*) from callback where state = 'DUE' and lease_until is not null) as due,
      (select extract(epoch from now() - min(due_at))::double precision from oldest
        where due_at <= now() and not exists (
          select from callback_origin shut where shut.origin = oldest.origin and shut.breaker <> 'closed')) as "lateSeconds",
      (select count(*) from callback
        where state = 'DEAD' and ended_at > now() - interval '1 day') as "deadLastDay"`.execute(db)
  return rows[0]!
}

/**
 * Counts print runs that are neither closed nor voided, in the order of a run's life. A run has many letters, so there
 * are few runs.
 */
async function countPrintRuns(db: Db): Promise<Overview['printRuns']> {
  const { rows } = await sql<Overview['printRuns'][number]>`
    select state, count(*) as count, coalesce(sum(document_count), 0)::bigint as documents,
      extract(epoch from now() - min(coalesce(posted_at, acknowledged_at, claimed_at, released_at, opened_at)))
        ::double precision as "oldestSeconds"
    from print_run where state not in ('CLOSED', 'VOIDED')
    group by state order by array_position(${[...printRunStates]}::text[], state)`.execute(db)
  return rows
}

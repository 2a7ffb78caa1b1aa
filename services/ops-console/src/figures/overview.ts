import { type PrintJobStatus, printJobStatuses } from '@despatch/domain/print-job/status'
import { type PrintRunState, printRunStates } from '@despatch/domain/print-run/state'
import { isUnderWay } from '@despatch/store/callback/under-way'
import type { Db } from '@despatch/store/database'
import { isHeld } from '@despatch/store/print-job/pages'
import { sql } from 'kysely'
import { type Printing, readPrinting } from './printing.ts'
import { countedMax, readWaitingWork, type WaitingWork } from './waiting-work.ts'

/** An overview for operations. Ages are in seconds, by the database's clock. */
export type Overview = {
  printJobs: StatusCount[]
  parked: { count: number; oldestSeconds: number | null }
  /** Held letters that have not ended, counted up to `countedMax`. */
  held: { count: number; oldestSeconds: number | null }
  work: WaitingWork
  callbacks: {
    /** Callbacks in state DUE: their next attempt is planned or in progress. */
    due: number
    /**
     * The longest time that a callback has been due without a call although its origin is not shut. Null if there is
     * none.
     */
    lateSeconds: number | null
    /** Counted up to `countedMax`. */
    deadLastDay: number
  }
  printRuns: { state: OpenRunState; count: number; documents: number; oldestSeconds: number }[]
  printing: Printing
}

type OpenRunState = Exclude<PrintRunState, 'CLOSED' | 'VOIDED'>

type StatusCount = {
  status: PrintJobStatus
  count: number
  /** Seconds since the oldest print job entered the status. Null for final statuses. */
  oldestSeconds: number | null
}

/**
 * Reads the figures, one query each. Each query reads what is few by its nature, a bounded part of an index, or counts
 * that the database keeps, so that millions of print jobs and callbacks cost nothing.
 */
export async function readOverview(db: Db): Promise<Overview> {
  const [printJobs, parked, held, work, callbacks, printRuns, printing] = await Promise.all([
    countPrintJobs(db),
    countParked(db),
    countHeld(db),
    readWaitingWork(db),
    countCallbacks(db),
    countPrintRuns(db),
    readPrinting(db),
  ])
  return { printJobs, parked, held, work, callbacks, printRuns, printing }
}

/**
 * The oldest of each status is one entry of the index print_job_live. Repeats the condition of the index; otherwise
 * PostgreSQL would not use it.
 */
async function countPrintJobs(db: Db): Promise<StatusCount[]> {
  const { rows } = await sql<StatusCount>`
    select known.status, coalesce(current.count, 0)::bigint as count, (
        select extract(epoch from now() - min(updated_at))::double precision from print_job
        where status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION') and deleted_at is null
          and status = known.status) as "oldestSeconds"
    from unnest(${[...printJobStatuses]}::text[]) with ordinality as known (status, place)
    left join (
      select state, sum(count) as count from current_count where what = 'print_job' group by state
    ) current on current.state = known.status
    order by known.place`.execute(db)
  return rows
}

async function countParked(db: Db): Promise<Overview['parked']> {
  const { rows } = await sql<Overview['parked']>`
    select count(*) as count,
      extract(epoch from now() - min(parked_at))::double precision as "oldestSeconds"
    from print_job where parked_at is not null`.execute(db)
  return rows[0]!
}

async function countHeld(db: Db): Promise<Overview['held']> {
  const { rows } = await sql<Overview['held']>`
    select count(*) as count, extract(epoch from now() - min(held_at))::double precision as "oldestSeconds"
    from (
      select held_at from print_job where ${isHeld} order by held_at limit ${countedMax}) held`.execute(
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
      (select origin, due_at from callback where state = 'DUE' and not ${isUnderWay} order by origin, due_at limit 1)
      union all
      select next.* from oldest cross join lateral (
        select callback.origin, callback.due_at from callback
        where state = 'DUE' and not ${isUnderWay} and callback.origin > oldest.origin
        order by callback.origin, callback.due_at limit 1) next
    )
    select
      (select coalesce(sum(count), 0)::bigint from current_count where what = 'callback' and state = 'DUE') as due,
      (select extract(epoch from now() - min(due_at))::double precision from oldest
        where due_at <= now() and not exists (
          select from callback_origin shut where shut.origin = oldest.origin and shut.breaker <> 'closed')) as "lateSeconds",
      (select count(*) from (
        select from callback where state = 'DEAD' and ended_at > now() - interval '1 day'
        limit ${countedMax}) dead) as "deadLastDay"`.execute(db)
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

import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { isLost } from '../print-job/recover-lost.ts'

const invariantChecks = [
  'event-sequence',
  'callback-sequence',
  'live-documents',
  'unended-callbacks',
  'held-in-run',
  'unwatched-steps',
  'kept-counts',
] as const
export type InvariantCheck = (typeof invariantChecks)[number]

const printJobsMax = 5_000
const graceMinutes = 10

/**
 * Counts violations of invariants: each number is 0 unless something is broken. Sequences and documents are checked for
 * the print jobs accepted in the last day, at most the newest 5,000, held print jobs for the last 5,000. The other checks use
 * indexes of unfinished work.
 */
export async function countViolations(db: Db): Promise<Record<InvariantCheck, number>> {
  const [recent, callbacks, live, counts] = await Promise.all([
    countOfRecent(db),
    countStalledCallbacks(db),
    countOfLive(db),
    countWrongCounts(db),
  ])
  return { ...recent, 'unended-callbacks': callbacks, ...live, 'kept-counts': counts }
}

type OfRecent = Record<'event-sequence' | 'callback-sequence' | 'live-documents', number>

/** One statement reads one snapshot, so that concurrent writes do not look like gaps. */
async function countOfRecent(db: Db): Promise<OfRecent> {
  const { rows } = await sql<OfRecent>`
    with recent as (
      select key, status, event_sequence, callback_sequence, deleted_at
      from (select * from print_job order by key desc limit ${printJobsMax}) newest
      where created_at > now() - interval '1 day'
    )
    select
      count(*) filter (where events.count <> event_sequence or events.last <> event_sequence) as "event-sequence",
      count(*) filter (where callbacks.count <> callback_sequence or callbacks.last <> callback_sequence)
        as "callback-sequence",
      count(*) filter (where documents.count > 1 or (status = 'PRODUCTION' and deleted_at is null and documents.count = 0))
        as "live-documents"
    from recent
    cross join lateral (
      select count(*), coalesce(max(sequence), 0) as last from print_job_event where print_job_key = recent.key) events
    cross join lateral (
      select count(*), coalesce(max(sequence), 0) as last from callback where print_job_key = recent.key) callbacks
    cross join lateral (
      select count(*) from print_run_document
      where print_job_key = recent.key and removed_at is null and voided_at is null) documents`.execute(
    db,
  )
  return rows[0]!
}

/** Counts callbacks whose lease expired long ago, and contracts in strict order whose callbacks wait although none is due. */
async function countStalledCallbacks(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from callback_batch batch
        cross join lateral unnest(batch.subjects, batch.versions) as call (id, version)
        join callback on callback.id = call.id and attempt_epoch = call.version and state = 'DUE'
        where leased_until < now() - ${graceMinutes}::integer * interval '1 minute')
      + (select count(*) from contract
        where callback_order = 'strict'
          and exists (select from callback where strict_contract_id = contract.id and state = 'WAITING'
            and created_at < now() - ${graceMinutes}::integer * interval '1 minute')
          and not exists (select from callback where strict_contract_id = contract.id and state = 'DUE'))
      as count`.execute(db)
  return rows[0]!.count
}

type OfLive = Record<'held-in-run' | 'unwatched-steps', number>

/**
 * A step is unwatched if its letter has no place in the waiting work for ten minutes. The condition on
 * the time keeps the letters that wait few unless workers are late, and the limit bounds the comparison.
 */
async function countOfLive(db: Db): Promise<OfLive> {
  const { rows } = await sql<OfLive>`
    select
      (select count(*) from (
        select key, held_by from print_job
        where held_at is not null and deleted_at is null and status in ('PENDING', 'PRODUCTION')
        order by held_at desc limit ${printJobsMax}) job
        where held_by is null or exists (select from print_run_document
          where print_job_key = job.key and removed_at is null and voided_at is null)) as "held-in-run",
      (select count(*) from (
        select * from print_job
        where deleted_at is null and status in ('QUARANTINE', 'VALIDATING')
          and parked_at is null
          and updated_at < now() - ${graceMinutes}::integer * interval '1 minute'
        order by updated_at limit ${printJobsMax}) job
        where ${isLost}) as "unwatched-steps"`.execute(db)
  return rows[0]!
}

/**
 * Counts the kept counts that differ from a recount. Both are limited to the same number, so a count of many is only
 * checked for not being too small. One statement reads one snapshot.
 */
async function countWrongCounts(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select least(coalesce((
          select sum(count) from current_count where what = 'print_job' and state = live.status), 0), ${printJobsMax}) as kept,
        (select count(*) from (
          select from print_job
          where status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION') and deleted_at is null
            and status = live.status
          limit ${printJobsMax}) job) as found
      from unnest(array['QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION']) as live (status)
      union all
      select least(coalesce((
          select sum(count) from current_count where what = 'callback' and state = 'DUE'), 0), ${printJobsMax}),
        (select count(*) from (select from callback where state = 'DUE' limit ${printJobsMax}) due)) compared
    where kept <> found`.execute(db)
  return rows[0]!.count
}

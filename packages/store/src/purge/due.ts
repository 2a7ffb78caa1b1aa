import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * A print job that has ended and still has personal data. The index print_job_to_purge has these in the order of their
 * end.
 */
const endedAt = sql`coalesce(job.despatched_at, job.deleted_at, job.updated_at)`
const isToPurge = sql`
  job.purged_at is null and (job.status in ('DESPATCHED', 'REJECTED') or job.deleted_at is not null)`

/**
 * The position of a walk over the ended print jobs of a contract. `endedAt` is the database's text, to the microsecond.
 */
export type WalkedTo = { endedAt: string; key: string }

export type DuePage = {
  /** Print jobs leased for this purge: no other purge takes them before the lease expires. */
  keys: string[]
  /** Print jobs that are old enough, but are still in use or taken by another process. */
  leftCount: number
  /** Where to continue. Undefined: the walk is complete. */
  walkedTo: WalkedTo | undefined
}

export type DueWalk = {
  contractId: string
  /** Print jobs that ended before this time are due. */
  endedBefore: Date
  after?: WalkedTo | undefined
  now: Date
  leaseSeconds: number
  jobsMax: number
}

/** Lists the retention of each contract, in days. Null: the deployment's default. */
export async function listRetentions(
  db: Db,
): Promise<{ contractId: string; contractDays: number | null }[]> {
  const rows = await db
    .selectFrom('contract')
    .select(['id', 'retention_days'])
    .orderBy('id')
    .execute()
  return rows.map(({ id, retention_days }) => ({ contractId: id, contractDays: retention_days }))
}

/**
 * Takes the next page of print jobs of a contract that ended long enough ago, longest ended first. Leases those with
 * nothing left to do: no callback is owed, and the print run with the document is closed. Each is examined once per
 * walk, so that those that must wait do not delay others. From then on, their content is no longer shown.
 */
export async function takeDue(db: Db, walk: DueWalk): Promise<DuePage> {
  const { contractId, endedBefore, after, now, leaseSeconds, jobsMax } = walk
  const onward = after
    ? sql`and (${endedAt}, job.key) > (${after.endedAt}::timestamptz, ${after.key}::uuid)`
    : sql``
  const { rows } = await sql<{ keys: string[]; walked: number; endedAt: string; key: string }>`
    with page as materialized (
      select job.key, ${endedAt} as ended_at from print_job job
      where job.contract_id = ${contractId} and ${isToPurge} and ${endedAt} < ${endedBefore} ${onward}
      order by ${endedAt}, job.key limit ${jobsMax}
    ), free as materialized (
      select job.key from print_job job
      where job.key in (select key from page)
        and (job.purge_began_at is null
          or job.purge_began_at < ${now}::timestamptz - ${leaseSeconds}::integer * interval '1 second')
        and not exists (
          select from callback where callback.print_job_key = job.key and callback.state in ('WAITING', 'DUE'))
        and not exists (
          select from print_run_document document join print_run run using (batch_number)
          where document.print_job_key = job.key and document.removed_at is null and document.voided_at is null
            and run.state not in ('CLOSED', 'VOIDED'))
      order by job.key
      for no key update of job skip locked
    ), taken as (
      update print_job set purge_began_at = ${now} from free where print_job.key = free.key
      returning print_job.key
    )
    select (select coalesce(array_agg(key order by key), '{}') from taken) as keys,
      (select count(*) from page) as walked, last.ended_at::text as "endedAt", last.key
    from page last order by last.ended_at desc, last.key desc limit 1`.execute(db)
  const last = rows[0]
  if (!last) return { keys: [], leftCount: 0, walkedTo: undefined }
  const { keys, walked } = last
  const walkedTo = walked < jobsMax ? undefined : { endedAt: last.endedAt, key: last.key }
  return { keys, leftCount: walked - keys.length, walkedTo }
}

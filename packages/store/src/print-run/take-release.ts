import { releaseRetrySeconds } from '@despatch/domain/print-run/release-retry'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A print run whose release this process has leased. */
export type TakenRelease = { batchNumber: string; failures: number }

const isDue = sql<boolean>`(
  state = 'OPEN' and release_began_at is not null
    and (release_lease_until is null or release_lease_until <= clock_timestamp())
    and (release_retry_at is null or release_retry_at <= clock_timestamp()))`

/** SQL: whether `takeRelease` may find a print run. */
export const isAnyToRelease = sql<boolean>`exists (select from print_run where ${isDue})`

/**
 * Leases the next print run to be released, starting with those that never failed. Returns undefined if there is none,
 * or other processes have leased all of them. The lease only avoids duplicate work; the numbers are correct without it.
 */
export async function takeRelease(
  db: Db,
  { leaseSeconds }: { leaseSeconds: number },
): Promise<TakenRelease | undefined> {
  const { rows } = await sql<TakenRelease>`
    update print_run set release_lease_until = clock_timestamp() + ${leaseSeconds}::integer * interval '1 second'
    where batch_number = (
      select batch_number from print_run
      where ${isDue}
      order by release_failures, release_began_at, batch_number
      limit 1
      for no key update skip locked)
    returning batch_number as "batchNumber", release_failures as failures`.execute(db)
  return rows[0]
}

/** Ends the lease of an unfinished release, so that any process may continue it. */
export async function returnRelease(db: Db, batchNumber: string): Promise<void> {
  await sql`
    update print_run set release_lease_until = null where batch_number = ${batchNumber} and state = 'OPEN'`.execute(
    db,
  )
}

/**
 * Records on the print run that its release failed, and schedules a retry with smaller pages. `fault` is a class or a
 * code, never a message.
 */
export async function noteReleaseFault(
  db: Db,
  { batchNumber, failures }: TakenRelease,
  fault: string,
): Promise<void> {
  await sql`
    update print_run set release_failures = ${failures + 1}, release_fault = ${fault},
      release_tried_at = clock_timestamp(),
      release_retry_at = clock_timestamp() + ${releaseRetrySeconds(failures + 1)}::integer * interval '1 second',
      release_lease_until = null
    where batch_number = ${batchNumber} and state = 'OPEN'`.execute(db)
}

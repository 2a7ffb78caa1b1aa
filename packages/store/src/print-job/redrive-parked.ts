import { outageFailurePattern } from '@despatch/domain/outage/outage-failures'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import type { By } from './lock.ts'
import { redriveSteps } from './redrive.ts'

/** The number of parked print jobs whose last failure has this class. */
export type ParkedCount = { failure: string; count: number }

const redrivable = sql`parked_at is not null and deleted_at is null and purge_began_at is null
  and status in ('QUARANTINE', 'VALIDATING')`

/** Counts the parked print jobs that may be redriven, by the class of their last fault, most frequent first. */
export async function countParkedByFailure(db: Db): Promise<ParkedCount[]> {
  const { rows } = await sql<ParkedCount>`
    select coalesce(step_failure, 'Error') as failure, count(*) as count
    from print_job where ${redrivable} group by 1 order by 2 desc, 1`.execute(db)
  return rows
}

/** Returns the database's time, to the microsecond. */
export async function readDatabaseTime(db: Db): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(db)
  return rows[0]!.now
}

export type ParkedPage = {
  /** Print jobs parked after this time are skipped, so that one redrive does not take the same print job twice. */
  parkedBy: string
  printJobsMax: number
  /** They become due at random times within this period. */
  spreadSeconds: number
}

/**
 * Redrives one page of the print jobs that an outage parked, longest parked first. Writes a timeline note and an audit
 * event for each. Skips those that another transaction has locked. Returns the number of print jobs; 0 means that none
 * are left.
 */
export async function redriveParkedByOutage(
  tx: Tx,
  { parkedBy, printJobsMax, spreadSeconds }: ParkedPage,
  by: By,
): Promise<number> {
  const { rows } = await sql<{ key: string }>`
    select key from print_job
    where ${redrivable} and parked_at <= ${parkedBy}::timestamptz and step_failure ~ ${outageFailurePattern}
    order by parked_at limit ${printJobsMax} for no key update skip locked`.execute(tx)
  if (rows.length === 0) return 0
  const keys = rows.map(({ key }) => key)
  await sql`
    insert into audit_event (actor, action, consumer_id, detail)
    select ${by.actor}, 'print-job.redriven', consumer_id, jsonb_build_object('printJobKey', key, 'printJobId', id,
      'reason', ${by.reason ?? null}::text, 'failure', step_failure)
    from print_job where key = any (${keys}::uuid[]) order by parked_at`.execute(tx)
  await redriveSteps(tx, keys, by, { spreadSeconds })
  return keys.length
}

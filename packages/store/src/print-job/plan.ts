import type { LondonDate } from '@despatch/domain/print-run/capabilities'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** The plan for a print job, from the print run that has it, and what it waits for. */
export type PrintJobPlan = {
  expectedDespatchDate: LondonDate | null
  /** Null once its run may be claimed at any time, and if the print job is not PENDING. */
  cancellableUntil: Date | null
  /** Null: it is not held. */
  heldSince: Date | null
  /** The earliest time at which it may be gathered into a print run, as the consumer requested. */
  notBefore: Date | null
}

const nothingPlanned: PrintJobPlan = {
  expectedDespatchDate: null,
  cancellableUntil: null,
  heldSince: null,
  notBefore: null,
}

/**
 * Finds the plan for a consumer's own print job. There is no expected despatch before it is in a run, nor once it is
 * rejected.
 */
export async function findPrintJobPlan(
  db: Db,
  consumerId: string,
  id: string,
): Promise<PrintJobPlan> {
  const { rows } = await sql<PrintJobPlan>`
    select case when job.status <> 'REJECTED' then run.expected_despatch_on end as "expectedDespatchDate",
      case when job.status = 'PENDING' and run.state = 'OPEN' and run.release_asked_at is null
        and run.release_began_at is null and run.cut_off_at > now()
        then run.cut_off_at end as "cancellableUntil",
      case when job.status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION') then job.held_at end as "heldSince",
      job.not_before as "notBefore"
    from print_job job
    left join print_run_document document on document.print_job_key = job.key
      and document.removed_at is null and document.voided_at is null
    left join print_run run on run.batch_number = document.batch_number
    where job.consumer_id = ${consumerId} and job.id = ${id} and job.deleted_at is null`.execute(db)
  return rows[0] ?? nothingPlanned
}

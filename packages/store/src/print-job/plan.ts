import type { LondonDate } from '@despatch/domain/print-run/capabilities'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** What the print run that holds a print job plans for it. */
export type PrintJobPlan = {
  expectedDespatchDate: LondonDate | null
  /** Null once its run may be claimed at any moment, and when the print job is not PENDING. */
  cancellableUntil: Date | null
}

const nothingPlanned: PrintJobPlan = { expectedDespatchDate: null, cancellableUntil: null }

/** Finds what is planned for a consumer's own print job. Nothing is, before a run holds it and once it is rejected. */
export async function findPrintJobPlan(
  db: Db,
  consumerId: string,
  id: string,
): Promise<PrintJobPlan> {
  const { rows } = await sql<PrintJobPlan>`
    select run.expected_despatch_on as "expectedDespatchDate",
      case when job.status = 'PENDING' and run.state = 'OPEN' and run.release_asked_at is null and run.cut_off_at > now()
        then run.cut_off_at end as "cancellableUntil"
    from print_job job
    join print_run_document document on document.print_job_key = job.key
      and document.removed_at is null and document.voided_at is null
    join print_run run on run.batch_number = document.batch_number
    where job.consumer_id = ${consumerId} and job.id = ${id} and job.deleted_at is null
      and job.status in ('PENDING', 'PRODUCTION', 'DESPATCHED')`.execute(db)
  return rows[0] ?? nothingPlanned
}

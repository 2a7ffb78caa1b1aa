import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { type ActionOutcome, actOnPrintJob, type By, type PrintJobRef } from './lock.ts'
import { notePrintJobs } from './notes.ts'

/** How long after it the sweep looks whether the step has begun. */
const checkAfterSeconds = 60

/** Has the step of a parked print job run again, as if it had not failed yet. */
export async function redrivePrintJob(tx: Tx, ref: PrintJobRef, by: By): Promise<ActionOutcome> {
  return actOnPrintJob(tx, ref, 'redrive', async ({ key }) => {
    await sql`
      with job as (
        update print_job set
          parked_at = null, step_epoch = step_epoch + 1, step_starts = 0, step_failures = 0, step_failure = null,
          lease_until = null, next_check_at = now() + ${checkAfterSeconds}::integer * interval '1 second'
        where key = ${key}
        returning key, status, step_epoch
      )
      insert into outbox (queue, subject, epoch)
      select queue, key, step_epoch
      from job join (values ('QUARANTINE', 'quarantine'), ('VALIDATING', 'validate')) route (status, queue)
        using (status)`.execute(tx)
    await notePrintJobs(tx, [{ key, note: 'redrive', reason: by.reason }], by)
  })
}

import { printJobActions } from '@despatch/domain/operator-action/print-job-actions'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { type ActionOutcome, actOnPrintJob, type By, type PrintJobRef } from './lock.ts'
import { notePrintJobs } from './notes.ts'
import { laneOfJob } from './steps.ts'

/** Runs the step of a parked print job again, as if it had not failed yet. */
export async function redrivePrintJob(tx: Tx, ref: PrintJobRef, by: By): Promise<ActionOutcome> {
  return actOnPrintJob(tx, ref, printJobActions.redrive, ({ key }) => redriveSteps(tx, [key], by))
}

/**
 * Runs the steps of parked print jobs again, as if they had not failed yet. They become due at random times within
 * `spreadSeconds` from now, so that many do not begin at once. The caller has locked the print jobs.
 */
export async function redriveSteps(
  tx: Tx,
  keys: readonly string[],
  by: By,
  { spreadSeconds = 0 }: { spreadSeconds?: number } = {},
): Promise<void> {
  await sql`
    with job as (
      update print_job set
        parked_at = null, step_epoch = step_epoch + 1, step_starts = 0, step_failures = 0, step_failure = null
      where key = any (${keys}::uuid[])
      returning key, consumer_id, status, step_epoch, step_starts, step_failures, template
    )
    insert into letter_later (subject, version, lane, consumer_id, due_at)
    select key, step_epoch, ${laneOfJob}, consumer_id, now() + random() * ${spreadSeconds}::double precision * interval '1 second'
    from job where status in ('QUARANTINE', 'VALIDATING')
    on conflict (subject) do update set version = excluded.version, lane = excluded.lane, due_at = excluded.due_at, waits_for = null`.execute(
    tx,
  )
  const notes = keys.map((key) => ({ key, note: 'redrive' as const, reason: by.reason }))
  await notePrintJobs(tx, notes, by)
}

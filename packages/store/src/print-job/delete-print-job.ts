import { printJobActions } from '@despatch/domain/operator-action/print-job-actions'
import { type OwnAction, ownActions } from '@despatch/domain/print-job/own-actions'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { type ActionOutcome, actOnPrintJob, type By, type PrintJobRef } from './lock.ts'
import { movePrintJobs } from './print-jobs.ts'
import { removeFromPrintRun } from './withdraw.ts'

type DeleteOutcome = 'deleted' | 'absent' | 'not-pending'

/**
 * Deletes a consumer's own PENDING print job and takes its document out of its print run. The row stays and keeps the
 * id, so that a late retry of the submission cannot print a deleted letter.
 */
export async function savePrintJobDeletion(
  db: Db,
  consumerId: string,
  id: string,
): Promise<DeleteOutcome> {
  const { kind } = await transact(db, (tx) =>
    deletePending(tx, { consumerId, id }, ownActions.delete, { actor: 'consumer' }),
  )
  return outcomes[kind]
}

const outcomes = { done: 'deleted', absent: 'absent', refused: 'not-pending' } as const

/** The consumer sees it on a parked print job that an operator has cancelled. */
const unprocessable = 'Despatch could not process this print job'

/**
 * As `savePrintJobDeletion`, on behalf of the consumer. A parked print job, which is not PENDING, is rejected instead, so
 * that its consumer is told.
 */
export async function cancelPrintJob(tx: Tx, ref: PrintJobRef, by: By): Promise<ActionOutcome> {
  return actOnPrintJob(tx, ref, printJobActions.cancel, async ({ key, isParked }) => {
    if (!isParked) return deleteLocked(tx, key, by)
    await movePrintJobs(tx, [{ key, comment: unprocessable }], 'reject', by)
  })
}

async function deletePending(
  tx: Tx,
  ref: PrintJobRef,
  action: OwnAction,
  by: By,
): Promise<ActionOutcome> {
  return actOnPrintJob(tx, ref, action, ({ key }) => deleteLocked(tx, key, by))
}

async function deleteLocked(tx: Tx, key: string, { actor, reason }: By): Promise<void> {
  await sql`
      with job as (
        update print_job set
          deleted_at = now(), updated_at = now(), event_sequence = event_sequence + 1, step_epoch = step_epoch + 1
        where key = ${key}
        returning key, event_sequence, status
      )
      insert into print_job_event (print_job_key, sequence, transition, status, actor, reason)
      select key, event_sequence, 'delete', status, ${actor}, ${reason ?? null} from job`.execute(
    tx,
  )
  await removeFromPrintRun(tx, key)
}

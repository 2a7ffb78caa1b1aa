import {
  ownEvents,
  type StoredPrintJobTimeline,
} from '@despatch/contracts/print-request/print-job-events'
import { possibleActions } from '@despatch/domain/operator-action/operator-action'
import type { PrintJobFacts } from '@despatch/domain/operator-action/print-job-actions'
import { ownActions } from '@despatch/domain/print-job/own-actions'
import { isHeldByOperator } from '@despatch/domain/print-job/send-control'
import { listCallbackPage } from '@despatch/store/callback/list'
import type { Db, Tx } from '@despatch/store/database'
import { factColumns } from '@despatch/store/print-job/lock'
import { findPrintJobEvents } from '@despatch/store/print-job/record'
import { readSnapshot } from '@despatch/store/read-snapshot'
import { sql } from 'kysely'

/** A print job has at most one callback for each status and each return. */
const callbacksMax = 100

/**
 * Finds the timeline of a consumer's own print job. Returns undefined for another consumer's or a deleted one. Reads
 * one snapshot, so that its parts agree.
 */
export async function findOwnTimeline(
  db: Db,
  consumerId: string,
  jobId: string,
): Promise<StoredPrintJobTimeline | undefined> {
  return readSnapshot(db, ['print_job_event'], async (tx) => {
    const events = await findPrintJobEvents(tx, consumerId, jobId)
    if (!events) return undefined
    const { facts, printRun } = await getFacts(tx, consumerId, jobId)
    return {
      id: jobId,
      events: ownEvents(events),
      printRun,
      callbacks: await listCallbackPage(tx, { consumerId, jobId }, { callbacksMax }),
      actions: possibleActions(ownActions, facts),
    }
  })
}

type FactRow = Omit<PrintJobFacts, 'isHeldByOperator'> & {
  heldBy: string | null
  printRun: StoredPrintJobTimeline['printRun']
}

async function getFacts(tx: Tx, consumerId: string, id: string) {
  const { rows } = await sql<FactRow>`
    select ${factColumns}, case when run.batch_number is not null then json_build_object(
        'batchNumber', run.batch_number, 'state', run.state, 'printLocation', run.print_location) end as "printRun"
    from print_job
    left join print_run_document document on document.print_job_key = print_job.key
      and document.removed_at is null and document.voided_at is null
    left join print_run run on run.batch_number = document.batch_number
    where print_job.consumer_id = ${consumerId} and print_job.id = ${id} and print_job.deleted_at is null`.execute(
    tx,
  )
  const { heldBy, printRun, ...facts } = rows[0]!
  return { printRun, facts: { ...facts, isHeldByOperator: isHeldByOperator(heldBy) } }
}

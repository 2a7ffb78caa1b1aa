import { isPrintJobId } from '@despatch/contracts/print-request/print-job-request'
import {
  ownPrintJob,
  type PlannedDespatch,
  type StoredPrintJob,
} from '@despatch/contracts/print-request/print-job-response'
import { printJobActionRefused, printJobNotFound } from '@despatch/contracts/print-request/problems'
import { transact } from '@despatch/postgres/transact'
import type { Db, Tx } from '@despatch/store/database'
import type { ActionOutcome } from '@despatch/store/print-job/lock'
import { findPrintJob } from '@despatch/store/print-job/record'
import { sql } from 'kysely'
import { readCallbackParams } from '../callback/read-callback-params.ts'

export type ReadContext = { db: Db; unsealDestination: (sealed: Uint8Array) => string }

type PrintJobQuery = {
  consumerId: string
  jobId: string
  log: { error(fields: object, event: string): void }
}

/**
 * Returns a consumer's own print job. Throws a Problem if it does not exist or belongs to another consumer; both look
 * the same.
 */
export async function readPrintJob(
  { db, unsealDestination }: ReadContext,
  { consumerId, jobId, log }: PrintJobQuery,
): Promise<StoredPrintJob> {
  const kept = isPrintJobId(jobId) ? await findPrintJob(db, consumerId, jobId) : undefined
  if (!kept) throw printJobNotFound(jobId)
  const callbackParams = readCallbackParams(kept, {
    unseal: unsealDestination,
    onUnreadable: () => log.error({ jobId }, 'callback-destination.unreadable'),
  })
  return { ...kept, callbackParams }
}

/** Returns the print job with what is planned for it. Throws as `readPrintJob` does. */
export async function readExtendedPrintJob(context: ReadContext, query: PrintJobQuery) {
  const printJob = await readPrintJob(context, query)
  const plan = await findPrintJobPlan(context.db, query.consumerId, query.jobId)
  return ownPrintJob(printJob, plan)
}

const nothingPlanned: PlannedDespatch = {
  expectedDespatchDate: null,
  cancellableUntil: null,
  heldSince: null,
  notBefore: null,
}

/**
 * Finds the plan for a consumer's own print job. An expected despatch exists only while the print job is in a run and
 * not rejected.
 */
async function findPrintJobPlan(db: Db, consumerId: string, id: string): Promise<PlannedDespatch> {
  const { rows } = await sql<PlannedDespatch>`
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

type OwnPrintJob = { consumerId: string; id: string }

/**
 * Runs an action on a consumer's own print job in one transaction. Throws a Problem if the consumer has no such print
 * job, or if the action is not possible now.
 */
export async function actOnOwnPrintJob(
  db: Db,
  ref: OwnPrintJob,
  act: (tx: Tx, ref: OwnPrintJob) => Promise<ActionOutcome>,
): Promise<void> {
  if (!isPrintJobId(ref.id)) throw printJobNotFound(ref.id)
  const outcome = await transact(db, (tx) => act(tx, ref))
  if (outcome.kind === 'absent') throw printJobNotFound(ref.id)
  if (outcome.kind === 'refused') throw printJobActionRefused(outcome.whyNot)
}

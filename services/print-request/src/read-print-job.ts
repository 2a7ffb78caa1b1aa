import { isPrintJobId } from '@despatch/contracts/print-request/print-job-request'
import {
  type PrintJobResponse,
  renderExtendedPrintJob,
  type StoredPrintJob,
} from '@despatch/contracts/print-request/print-job-response'
import { printJobNotFound } from '@despatch/contracts/print-request/problems'
import type { Db } from '@despatch/store/database'
import { findPrintJobPlan } from '@despatch/store/print-job/plan'
import { findPrintJob } from '@despatch/store/print-job/record'
import { readCallbackParams } from './read-callback-params.ts'

export type ReadContext = { db: Db; unsealDestination: (sealed: Uint8Array) => string }

export type PrintJobAsked = {
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
  { consumerId, jobId, log }: PrintJobAsked,
): Promise<StoredPrintJob> {
  const kept = isPrintJobId(jobId) ? await findPrintJob(db, consumerId, jobId) : undefined
  if (!kept) throw printJobNotFound(jobId)
  const callbackParams = readCallbackParams(kept, {
    unseal: unsealDestination,
    onUnreadable: () => log.error({ jobId }, 'callback-destination.unreadable'),
  })
  return { ...kept, callbackParams }
}

/** Returns the print job in its extended response form, with what is planned for it. Throws as `readPrintJob` does. */
export async function readExtendedPrintJob(
  context: ReadContext,
  asked: PrintJobAsked,
): Promise<PrintJobResponse> {
  const printJob = await readPrintJob(context, asked)
  const plan = await findPrintJobPlan(context.db, asked.consumerId, asked.jobId)
  return renderExtendedPrintJob(printJob, plan)
}

import {
  type PrintJobDetailsResponse,
  renderPrintJobDetails,
} from '@despatch/contracts/administration/print-job'
import { unknownPrintJob } from '@despatch/contracts/administration/problems'
import { printJobActionRefused } from '@despatch/contracts/print-request/problems'
import { whyNotPossible } from '@despatch/domain/operator-action/operator-action'
import {
  type PrintJobAction,
  possibleActions,
  printJobActions,
} from '@despatch/domain/operator-action/print-job-actions'
import { isHeldByOperator } from '@despatch/domain/print-job/send-control'
import { listCallbackPage } from '@despatch/store/callback/list'
import type { Db } from '@despatch/store/database'
import {
  findPrintJobDetails,
  listPrintJobEventsWithActors,
  type PrintJobDetails,
} from '@despatch/store/print-job/details'

/** A print job has at most one callback for each status and each return. */
const callbacksMax = 100

/** Returns a print job with its related data. Throws a Problem if there is none. */
export async function getPrintJobDetails(db: Db, key: string): Promise<PrintJobDetailsResponse> {
  const printJob = await findPrintJobDetails(db, key)
  if (!printJob) throw unknownPrintJob(key)
  const { consumerId, id: jobId } = printJob
  return renderPrintJobDetails(printJob, {
    events: await listPrintJobEventsWithActors(db, key),
    callbacks: await listCallbackPage(db, { consumerId, jobId }, { callbacksMax }),
    actions: possibleActions(factsOf(printJob)),
  })
}

/** Throws a Problem if there is no such print job, or if the action is not possible now. */
export async function requirePossible(db: Db, key: string, action: PrintJobAction): Promise<void> {
  const printJob = await findPrintJobDetails(db, key)
  if (!printJob) throw unknownPrintJob(key)
  const whyNot = whyNotPossible(printJobActions[action], factsOf(printJob))
  if (whyNot) throw printJobActionRefused(whyNot)
}

function factsOf({ deletedAt, heldAt, parkedAt, ...printJob }: PrintJobDetails) {
  const { status, isPurged, isInPrintRun, isAsSupplied } = printJob
  return {
    status,
    isPurged,
    isInPrintRun,
    isAsSupplied,
    isDeleted: deletedAt !== null,
    isHeld: heldAt !== null,
    isHeldByOperator: isHeldByOperator(printJob.heldBy),
    isParked: parkedAt !== null,
  }
}

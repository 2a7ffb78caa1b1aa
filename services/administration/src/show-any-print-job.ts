import {
  renderShownPrintJob,
  type ShownPrintJobResponse,
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
import { listCallbacks } from '@despatch/store/callback/list'
import type { Db } from '@despatch/store/database'
import {
  findAnyPrintJob,
  listAnyPrintJobEvents,
  type ShownPrintJob,
} from '@despatch/store/print-job/oversee'

/** A print job has at most one callback for each status and each return. */
const callbacksMax = 100

/** Returns a print job with its related data. Throws a Problem if there is none. */
export async function showAnyPrintJob(db: Db, key: string): Promise<ShownPrintJobResponse> {
  const printJob = await findAnyPrintJob(db, key)
  if (!printJob) throw unknownPrintJob(key)
  const { consumerId, id: jobId } = printJob
  return renderShownPrintJob(printJob, {
    events: await listAnyPrintJobEvents(db, key),
    callbacks: await listCallbacks(db, { consumerId, jobId }, { callbacksMax }),
    actions: possibleActions(factsOf(printJob)),
  })
}

/** Throws a Problem if there is no such print job, or if the action is not possible now. */
export async function requirePossible(db: Db, key: string, action: PrintJobAction): Promise<void> {
  const printJob = await findAnyPrintJob(db, key)
  if (!printJob) throw unknownPrintJob(key)
  const whyNot = whyNotPossible(printJobActions[action], factsOf(printJob))
  if (whyNot) throw printJobActionRefused(whyNot)
}

function factsOf({ deletedAt, heldAt, parkedAt, ...printJob }: ShownPrintJob) {
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

import {
  renderShownPrintJob,
  type ShownPrintJobResponse,
} from '@despatch/contracts/administration/print-job'
import { unknownPrintJob } from '@despatch/contracts/administration/problems'
import { printJobActionRefused } from '@despatch/contracts/print-request/problems'
import { type PrintJobAction, possibleActions } from '@despatch/domain/print-job/actions'
import { isHeldByOperator } from '@despatch/domain/print-job/send-control'
import { listCallbacks } from '@despatch/store/callback/list'
import type { Db } from '@despatch/store/database'
import {
  findAnyPrintJob,
  listAnyPrintJobEvents,
  type ShownPrintJob,
} from '@despatch/store/print-job/oversee'

/** One for each status and return at most, and there are few of them. */
const callbacksMax = 100

/** Reads a print job with all that is around it. Throws a Problem when there is none. */
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

/** Throws a Problem when there is no such print job, or the action is not possible now. */
export async function requirePossible(db: Db, key: string, action: PrintJobAction): Promise<void> {
  const printJob = await findAnyPrintJob(db, key)
  if (!printJob) throw unknownPrintJob(key)
  const possible = possibleActions(factsOf(printJob)).find((known) => known.action === action)
  if (possible?.whyNot) throw printJobActionRefused(possible.whyNot)
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

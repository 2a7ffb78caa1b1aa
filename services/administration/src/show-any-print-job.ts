import {
  renderShownPrintJob,
  type ShownPrintJobResponse,
} from '@despatch/contracts/administration/print-job'
import { unknownPrintJob } from '@despatch/contracts/administration/problems'
import { possibleActions } from '@despatch/domain/print-job/actions'
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

function factsOf({ status, isPurged, deletedAt, heldAt, parkedAt }: ShownPrintJob) {
  return {
    status,
    isPurged,
    isDeleted: deletedAt !== null,
    isHeld: heldAt !== null,
    isParked: parkedAt !== null,
  }
}

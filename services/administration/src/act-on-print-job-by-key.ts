import type { PrintJobDetailsResponse } from '@despatch/contracts/administration/print-job'
import { unknownPrintJob } from '@despatch/contracts/administration/problems'
import { printJobActionRefused } from '@despatch/contracts/print-request/problems'
import type { Caller } from '@despatch/domain/access/caller'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { actorOf } from './actor-of.ts'
import { getPrintJobDetails } from './get-print-job-details.ts'
import { actAndRecord, type PrintJobAct } from './print-job-acts.ts'

export type Asked = {
  params: { printJobKey: string }
  body: { reason: string }
  caller: Caller
}

/**
 * Runs an action on a print job, and records it in the timeline and the audit log, all in one transaction. Returns the
 * print job as it is afterwards. Throws a Problem if there is no such print job, or if the action is not possible now.
 */
export async function actOnPrintJobByKey(
  db: Db,
  { params: { printJobKey }, body: { reason }, caller }: Asked,
  printJobAct: PrintJobAct,
): Promise<PrintJobDetailsResponse> {
  const act = { printJobKey, actor: actorOf(caller), reason }
  await transact(db, async (tx) => {
    const outcome = await actAndRecord(tx, printJobAct, act)
    if (outcome.kind === 'absent') throw unknownPrintJob(printJobKey)
    if (outcome.kind === 'refused') throw printJobActionRefused(outcome.whyNot)
  })
  return getPrintJobDetails(db, printJobKey)
}

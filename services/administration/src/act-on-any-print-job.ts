import type { ShownPrintJobResponse } from '@despatch/contracts/administration/print-job'
import { unknownPrintJob } from '@despatch/contracts/administration/problems'
import { printJobActionRefused } from '@despatch/contracts/print-request/problems'
import type { Caller } from '@despatch/domain/access/caller'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import type { ActionOutcome, By, PrintJobRef } from '@despatch/store/print-job/lock'
import { actorOf } from './actor-of.ts'
import { showAnyPrintJob } from './show-any-print-job.ts'

export type Asked = {
  params: { printJobKey: string }
  body: { reason: string }
  caller: Caller
}

/**
 * Does something with a print job, tells it in the timeline and in the record of changes, all or nothing, and reads it again.
 * Throws a Problem when there is no such print job, or it is not possible now.
 */
export async function actOnAnyPrintJob(
  db: Db,
  { params: { printJobKey: key }, body: { reason }, caller }: Asked,
  {
    act,
    recordedAs,
  }: { act: (tx: Tx, ref: PrintJobRef, by: By) => Promise<ActionOutcome>; recordedAs: string },
): Promise<ShownPrintJobResponse> {
  const actor = actorOf(caller)
  await db.transaction().execute(async (tx) => {
    const outcome = await act(tx, { key }, { actor, reason })
    if (outcome.kind === 'absent') throw unknownPrintJob(key)
    if (outcome.kind === 'refused') throw printJobActionRefused(outcome.whyNot)
    const { consumerId, id } = outcome.printJob
    const detail = { printJobKey: key, printJobId: id, reason }
    await insertAuditEvent(tx, { actor, action: recordedAs, consumerId, detail })
  })
  return showAnyPrintJob(db, key)
}

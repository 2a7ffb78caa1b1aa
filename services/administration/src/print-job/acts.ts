import { unknownPrintJob } from '@despatch/contracts/administration/problems'
import { printJobActionRefused } from '@despatch/contracts/print-request/problems'
import type { AuditAction } from '@despatch/domain/access/audit-actions'
import type { Caller } from '@despatch/domain/access/caller'
import type { BulkActionKind } from '@despatch/domain/bulk-action/bulk-action'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Db, Tx } from '@despatch/store/database'
import { cancelPrintJob } from '@despatch/store/print-job/delete-print-job'
import { holdPrintJob, releasePrintJob } from '@despatch/store/print-job/hold'
import type { ActionOutcome, By, PrintJobRef } from '@despatch/store/print-job/lock'
import { redrivePrintJob } from '@despatch/store/print-job/redrive'
import { actorOf } from '../operator/access.ts'
import { getPrintJobDetails } from './details.ts'

/** An action on a print job, and its name in the audit log. */
type PrintJobAct = {
  act: (tx: Tx, ref: PrintJobRef, by: By) => Promise<ActionOutcome>
  recordedAs: AuditAction
}

/** The actions that operators take on one print job or on many. */
export const printJobActs: Readonly<Record<BulkActionKind, PrintJobAct>> = {
  hold: { act: holdPrintJob, recordedAs: 'print-job.held' },
  release: { act: releasePrintJob, recordedAs: 'print-job.released' },
  cancel: { act: cancelPrintJob, recordedAs: 'print-job.cancelled' },
  redrive: { act: redrivePrintJob, recordedAs: 'print-job.redriven' },
}

type Asked = {
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
) {
  const act = { printJobKey, actor: actorOf(caller), reason }
  await transact(db, async (tx) => {
    const outcome = await actAndRecord(tx, printJobAct, act)
    if (outcome.kind === 'absent') throw unknownPrintJob(printJobKey)
    if (outcome.kind === 'refused') throw printJobActionRefused(outcome.whyNot)
  })
  return getPrintJobDetails(db, printJobKey)
}

type RecordedAct = {
  printJobKey: string
  actor: string
  reason: string
  /** Replaces the reason in the timeline. */
  reasonInTimeline?: string
  /** Further details for the audit log. */
  detail?: Readonly<Record<string, unknown>>
}

/**
 * Runs the action and records it in the timeline and the audit log, in one transaction. An action that is not possible
 * changes nothing.
 */
export async function actAndRecord(
  tx: Tx,
  { act, recordedAs }: PrintJobAct,
  { printJobKey, actor, reason, reasonInTimeline = reason, detail }: RecordedAct,
): Promise<ActionOutcome> {
  const outcome = await act(tx, { key: printJobKey }, { actor, reason: reasonInTimeline })
  if (outcome.kind !== 'done') return outcome
  const { consumerId, id: printJobId } = outcome.printJob
  await insertAuditEvent(tx, {
    actor,
    action: recordedAs,
    consumerId,
    detail: { printJobKey, printJobId, reason, ...detail },
  })
  return outcome
}

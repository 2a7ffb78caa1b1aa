import type { BulkActionKind } from '@despatch/domain/bulk-action/bulk-action'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Tx } from '@despatch/store/database'
import { cancelPrintJob } from '@despatch/store/print-job/delete-print-job'
import { holdPrintJob, releasePrintJob } from '@despatch/store/print-job/hold'
import type { ActionOutcome, By, PrintJobRef } from '@despatch/store/print-job/lock'
import { redrivePrintJob } from '@despatch/store/print-job/redrive'

/** Something that is done with a print job, and what the record of changes calls it. */
export type PrintJobAct = {
  act: (tx: Tx, ref: PrintJobRef, by: By) => Promise<ActionOutcome>
  recordedAs: string
}

/** What operators do with one print job or with many. */
export const printJobActs: Readonly<Record<BulkActionKind, PrintJobAct>> = {
  hold: { act: holdPrintJob, recordedAs: 'print-job.held' },
  release: { act: releasePrintJob, recordedAs: 'print-job.released' },
  cancel: { act: cancelPrintJob, recordedAs: 'print-job.cancelled' },
  redrive: { act: redrivePrintJob, recordedAs: 'print-job.redriven' },
}

export type RecordedAct = {
  printJobKey: string
  actor: string
  reason: string
  /** What the timeline tells, where it is more than the reason. */
  reasonInTimeline?: string
  /** What the record of changes tells besides. */
  detail?: Readonly<Record<string, unknown>>
}

/** Does it, and tells it in the timeline and in the record of changes, in one transaction. What is not possible changes nothing. */
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

import {
  type OperatorAction,
  whyNotPossible,
} from '@despatch/domain/operator-action/operator-action'
import type { PrintJobFacts } from '@despatch/domain/operator-action/print-job-actions'
import { isHeldByOperator } from '@despatch/domain/print-job/send-control'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'

/** Any print job by its key, or a consumer's own by its id. */
export type PrintJobRef = { key: string } | { consumerId: string; id: string }

/** Who acts on a print job, and why. Both appear in its timeline. No personal information. */
export type By = { actor: string; reason?: string | undefined }

export type LockedPrintJob = PrintJobFacts & {
  key: string
  id: string
  consumerId: string
  heldBy: string | null
  /** In hexadecimal. */
  documentSha256: string | null
}

export type ActionOutcome =
  | { kind: 'done'; printJob: Pick<LockedPrintJob, 'key' | 'id' | 'consumerId'> }
  | { kind: 'absent' }
  | { kind: 'refused'; whyNot: string }

/**
 * Locks a print job until the transaction ends and carries out an action on it, or says why the action is not possible
 * now. `refuse` returns a reason of the caller, such as that the print job has changed.
 */
export async function actOnPrintJob(
  tx: Tx,
  ref: PrintJobRef,
  action: Pick<OperatorAction<PrintJobFacts>, 'refusals'>,
  carryOut: (printJob: LockedPrintJob) => Promise<void>,
  refuse: (printJob: LockedPrintJob) => string | null = () => null,
): Promise<ActionOutcome> {
  const printJob = await lockPrintJob(tx, ref)
  if (!printJob) return { kind: 'absent' }
  const whyNot = whyNotPossible(action, printJob) ?? refuse(printJob)
  if (whyNot) return { kind: 'refused', whyNot }
  await carryOut(printJob)
  return { kind: 'done', printJob }
}

/** Columns of `print_job`: the facts that decide which actions are possible, besides `isHeldByOperator`. */
export const factColumns = sql`
  print_job.status, print_job.held_by as "heldBy", print_job.held_at is not null as "isHeld",
  print_job.parked_at is not null as "isParked", print_job.deleted_at is not null as "isDeleted",
  print_job.purge_began_at is not null as "isPurged", print_job.batch_number is not null as "isInPrintRun",
  (select production = 'as-supplied' from contract where contract.id = print_job.contract_id) as "isAsSupplied"`

/** A consumer's reference does not find a deleted print job. */
async function lockPrintJob(tx: Tx, ref: PrintJobRef): Promise<LockedPrintJob | undefined> {
  const chosen =
    'key' in ref
      ? sql`key = ${ref.key}`
      : sql`consumer_id = ${ref.consumerId} and id = ${ref.id} and deleted_at is null`
  const { rows } = await sql<Omit<LockedPrintJob, 'isHeldByOperator'>>`
    select key, id, consumer_id as "consumerId", encode(document_sha256, 'hex') as "documentSha256", ${factColumns}
    from print_job where ${chosen} for no key update`.execute(tx)
  const [row] = rows
  return row && { ...row, isHeldByOperator: isHeldByOperator(row.heldBy) }
}

import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { removeFromPrintRun } from '../print-run/withdraw.ts'
import {
  type ActionOutcome,
  actOnPrintJob,
  type By,
  type LockedPrintJob,
  type PrintJobRef,
} from './lock.ts'
import { notePrintJobs } from './notes.ts'

type OwnPrintJobRef = { consumerId: string; id: string }
type Refuse = (printJob: LockedPrintJob) => string | null

/**
 * Keeps a print job out of print runs until it is released; its checks go on. A run that nobody has claimed loses its
 * document. One that its consumer or its contract holds is the operator's from then on.
 */
export function holdPrintJob(tx: Tx, ref: PrintJobRef, by: By): Promise<ActionOutcome> {
  return hold(tx, ref, by)
}

/** The same for its consumer, who takes over from nobody. */
export function holdOwnPrintJob(
  tx: Tx,
  ref: OwnPrintJobRef,
  reason: string | undefined,
): Promise<ActionOutcome> {
  return hold(tx, ref, { actor: 'consumer', reason }, ({ isHeld }) =>
    isHeld ? 'It is held already.' : null,
  )
}

/** Lets a held print job go on, from now: it is in time for what is cut off later. */
export function releasePrintJob(tx: Tx, ref: PrintJobRef, by: By): Promise<ActionOutcome> {
  return release(tx, ref, by)
}

/** The same for its consumer, who does not undo what an operator has decided. */
export function releaseOwnPrintJob(tx: Tx, ref: OwnPrintJobRef): Promise<ActionOutcome> {
  return release(tx, ref, { actor: 'consumer' }, ({ isHeldByOperator }) =>
    isHeldByOperator ? 'An operator holds it.' : null,
  )
}

function hold(tx: Tx, ref: PrintJobRef, by: By, refuse?: Refuse): Promise<ActionOutcome> {
  const carryOut = async ({ key }: LockedPrintJob) => {
    // it has been held since the first of those who hold it one after the other
    await sql`
      update print_job set
        held_at = coalesce(held_at, now()), held_by = ${by.actor}, hold_reason = ${by.reason ?? null},
        batch_number = null
      where key = ${key}`.execute(tx)
    await removeFromPrintRun(tx, key)
    await notePrintJobs(tx, [{ key, note: 'hold', reason: by.reason }], by)
  }
  return actOnPrintJob(tx, ref, 'hold', carryOut, refuse)
}

function release(tx: Tx, ref: PrintJobRef, by: By, refuse?: Refuse): Promise<ActionOutcome> {
  const carryOut = async ({ key }: LockedPrintJob) => {
    await sql`
      update print_job set held_at = null, held_by = null, hold_reason = null where key = ${key}`.execute(
      tx,
    )
    await notePrintJobs(tx, [{ key, note: 'release-hold', reason: by.reason }], by)
  }
  return actOnPrintJob(tx, ref, 'release', carryOut, refuse)
}

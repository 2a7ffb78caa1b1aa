import { printJobActions } from '@despatch/domain/operator-action/print-job-actions'
import { type OwnAction, ownActions } from '@despatch/domain/print-job/own-actions'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import {
  type ActionOutcome,
  actOnPrintJob,
  type By,
  type LockedPrintJob,
  type PrintJobRef,
} from './lock.ts'
import { notePrintJobs } from './notes.ts'
import { removeFromPrintRun } from './withdraw.ts'

type OwnPrintJobRef = { consumerId: string; id: string }

/**
 * Holds a print job: it stays out of print runs until it is released. Its checks continue. An unclaimed run loses its
 * document. If the consumer or the contract holds it, the operator's hold replaces theirs.
 */
export function holdPrintJob(tx: Tx, ref: PrintJobRef, by: By): Promise<ActionOutcome> {
  return hold(tx, ref, printJobActions.hold, by)
}

/** As `holdPrintJob`, for the consumer. It is refused if the print job is held already. */
export function holdOwnPrintJob(
  tx: Tx,
  ref: OwnPrintJobRef,
  reason: string | undefined,
): Promise<ActionOutcome> {
  return hold(tx, ref, ownActions.hold, { actor: 'consumer', reason })
}

/** Releases a held print job. From now on, it can go into any run whose cut-off is still to come. */
export function releasePrintJob(tx: Tx, ref: PrintJobRef, by: By): Promise<ActionOutcome> {
  return release(tx, ref, printJobActions.release, by)
}

/** As `releasePrintJob`, for the consumer. It is refused if an operator holds the print job. */
export function releaseOwnPrintJob(tx: Tx, ref: OwnPrintJobRef): Promise<ActionOutcome> {
  return release(tx, ref, ownActions.release, { actor: 'consumer' })
}

// An operator's hold is a delay of ours: its end does not move the due date of the letter.
const endOfOwnHold = sql`
  hold_ended_at = case when held_by in ('consumer', 'contract') then now() else hold_ended_at end`

function hold(tx: Tx, ref: PrintJobRef, action: OwnAction, by: By): Promise<ActionOutcome> {
  const carryOut = async ({ key }: LockedPrintJob) => {
    // keeps the time of the first hold when another hold replaces it
    await sql`
      update print_job set ${endOfOwnHold},
        held_at = coalesce(held_at, now()), held_by = ${by.actor}, hold_reason = ${by.reason ?? null},
        batch_number = null
      where key = ${key}`.execute(tx)
    await removeFromPrintRun(tx, key)
    await notePrintJobs(tx, [{ key, note: 'hold', reason: by.reason }], by)
  }
  return actOnPrintJob(tx, ref, action, carryOut)
}

function release(tx: Tx, ref: PrintJobRef, action: OwnAction, by: By): Promise<ActionOutcome> {
  const carryOut = async ({ key }: LockedPrintJob) => {
    await sql`
      update print_job set ${endOfOwnHold}, held_at = null, held_by = null, hold_reason = null
      where key = ${key}`.execute(tx)
    await notePrintJobs(tx, [{ key, note: 'release-hold', reason: by.reason }], by)
  }
  return actOnPrintJob(tx, ref, action, carryOut)
}

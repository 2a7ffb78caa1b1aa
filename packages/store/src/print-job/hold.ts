import { mayConsumerRelease } from '@despatch/domain/print-job/send-control'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { removeFromPrintRun } from '../print-run/withdraw.ts'
import { type ActionOutcome, actOnPrintJob, type By, type PrintJobRef } from './lock.ts'
import { notePrintJobs } from './notes.ts'

/**
 * Keeps a print job out of print runs until it is released; its checks go on. A run that nobody has claimed loses its
 * document.
 */
export async function holdPrintJob(tx: Tx, ref: PrintJobRef, by: By): Promise<ActionOutcome> {
  return actOnPrintJob(tx, ref, 'hold', async ({ key }) => {
    await sql`
      update print_job set
        held_at = now(), held_by = ${by.actor}, hold_reason = ${by.reason ?? null}, batch_number = null
      where key = ${key}`.execute(tx)
    await removeFromPrintRun(tx, key)
    await notePrintJobs(tx, [{ key, note: 'hold', reason: by.reason }], by)
  })
}

/** Lets a held print job go on, from now: it is in time for what is cut off later. */
export async function releasePrintJob(tx: Tx, ref: PrintJobRef, by: By): Promise<ActionOutcome> {
  return actOnPrintJob(tx, ref, 'release', async ({ key }) => {
    await sql`
      update print_job set held_at = null, held_by = null, hold_reason = null where key = ${key}`.execute(
      tx,
    )
    await notePrintJobs(tx, [{ key, note: 'release-hold', reason: by.reason }], by)
  })
}

/** The same for its consumer, who does not undo what an operator has decided. */
export async function releaseOwnPrintJob(
  tx: Tx,
  ref: { consumerId: string; id: string },
): Promise<ActionOutcome> {
  const heldBy = await findHolder(tx, ref)
  if (heldBy && !mayConsumerRelease(heldBy)) {
    return { kind: 'refused', whyNot: 'An operator holds it.' }
  }
  return releasePrintJob(tx, ref, { actor: 'consumer' })
}

async function findHolder(
  tx: Tx,
  { consumerId, id }: { consumerId: string; id: string },
): Promise<string | null | undefined> {
  const row = await tx
    .selectFrom('print_job')
    .select('held_by')
    .where('consumer_id', '=', consumerId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row?.held_by
}

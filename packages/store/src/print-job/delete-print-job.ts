import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { transact } from '../transact.ts'
import { type ActionOutcome, actOnPrintJob, type By, type PrintJobRef } from './lock.ts'
import { removeFromPrintRun } from './withdraw.ts'

export type DeleteOutcome = 'deleted' | 'absent' | 'not-pending'

/**
 * Deletes a consumer's own PENDING print job and takes its document out of its print run. The row stays and keeps the
 * id, so that a late retry of the submission cannot print a deleted letter.
 */
export async function savePrintJobDeletion(
  db: Db,
  consumerId: string,
  id: string,
): Promise<DeleteOutcome> {
  return transact(db, async (tx) => {
    const chosen = sql`consumer_id = ${consumerId} and id = ${id}`
    if (await deletePending(tx, chosen, { actor: 'consumer' })) return 'deleted'
    const existing = await tx
      .selectFrom('print_job')
      .select('key')
      .where('consumer_id', '=', consumerId)
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    return existing ? 'not-pending' : 'absent'
  })
}

/** As `savePrintJobDeletion`, on behalf of the consumer. */
export async function cancelPrintJob(tx: Tx, ref: PrintJobRef, by: By): Promise<ActionOutcome> {
  return actOnPrintJob(tx, ref, 'cancel', async ({ key }) => {
    await deletePending(tx, sql`key = ${key}`, by)
  })
}

async function deletePending(
  tx: Tx,
  chosen: RawBuilder<unknown>,
  { actor, reason }: By,
): Promise<boolean> {
  const { rows } = await sql<{ key: string }>`
    with job as (
      update print_job set
        deleted_at = now(), updated_at = now(), event_sequence = event_sequence + 1, step_epoch = step_epoch + 1
      where ${chosen} and status = 'PENDING' and deleted_at is null
      returning key, event_sequence
    ), event as (
      insert into print_job_event (print_job_key, sequence, transition, status, actor, reason)
      select key, event_sequence, 'delete', 'PENDING', ${actor}, ${reason ?? null} from job
    )
    select key from job`.execute(tx)
  const deleted = rows[0]
  if (deleted) await removeFromPrintRun(tx, deleted.key)
  return deleted !== undefined
}

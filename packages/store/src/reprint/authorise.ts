import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { notePrintJobs } from '../print-job/notes.ts'

/**
 * Starts the next attempt of documents. What was reported about the previous attempt, including its serial number, does
 * not apply to it. Only waiting reprints are authorised. The caller has locked the run, and its documents have no
 * outcome.
 */
export async function authoriseReprints(
  tx: Tx,
  reprintIds: readonly number[],
  { actor, reason }: { actor: string; reason?: string | undefined },
): Promise<void> {
  if (reprintIds.length === 0) return
  const { rows } = await sql<{ key: string; attempt: number }>`
    with authorised as (
      update reprint set state = 'AUTHORISED', decided_by = ${actor}, decided_at = now(),
        decision_reason = ${reason ?? null}
      where id = any (${reprintIds}::bigint[]) and state = 'WAITING'
      returning id, batch_number, document_id, attempt
    ), document as (
      update print_run_document document set attempt = authorised.attempt, progress = null, serial_number = null,
        despatch_properties = null, mailmark_item_id = null
      from authorised
      where document.batch_number = authorised.batch_number and document.document_id = authorised.document_id
      returning document.print_job_key, document.attempt, authorised.id
    )
    select print_job_key as key, attempt from document order by id`.execute(tx)
  await clearSerialNumbers(
    tx,
    rows.map(({ key }) => key),
  )
  const notes = rows.map(({ key, attempt }) => {
    return { key, note: 'reprint' as const, reason: `attempt ${attempt}` }
  })
  await notePrintJobs(tx, notes, { actor })
}

// The number was spoiled with its attempt.
async function clearSerialNumbers(tx: Tx, keys: readonly string[]): Promise<void> {
  await sql`
    update print_job set serial_number = null
    where key = any (${keys}::uuid[]) and serial_number is not null`.execute(tx)
}

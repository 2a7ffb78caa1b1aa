import type { DocumentAttempt } from '@despatch/domain/print-run/serial-number'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { openSerialBook, saveSerialBook, takeSerialNumber } from './serial-book.ts'

type SerialNumberUse = { batchNumber: string; documentId: string; serialNumber: string }
export type SerialNumberOutcome = 'used' | 'taken' | 'not-in-stock'

/**
 * Records that the current attempts at documents were printed on numbered stock. Returns an outcome for each use, in
 * order. 'taken': another document or attempt has the number. 'not-in-stock': operators issue the job type's stock, and
 * the provider has no such number left. Only a 'used' number is written. A number that the attempt already has is
 * 'used' again, so repeating is safe. The caller has locked the print runs, and calls this once per transaction.
 */
export async function useSerialNumbers(
  tx: Tx,
  { providerId, uses }: { providerId: string; uses: readonly SerialNumberUse[] },
): Promise<SerialNumberOutcome[]> {
  if (uses.length === 0) return []
  const documents = await listDocuments(tx, uses)
  const book = await openSerialBook(
    tx,
    documents.map(({ jobType }, index) => ({ jobType, ...uses[index]! })),
  )
  const outcomes = uses.map(({ batchNumber, documentId, serialNumber }, index) => {
    const { jobType, attempt } = documents[index]!
    const holder = { batchNumber, documentId, attempt }
    const taking = { providerId, holder, as: 'USED' } as const
    return takeSerialNumber(book, { jobType, serialNumber }, taking)
  })
  await saveSerialBook(tx, book)
  return outcomes
}

async function listDocuments(tx: Tx, uses: readonly SerialNumberUse[]) {
  const { rows } = await sql<{ attempt: number; jobType: string }>`
    select document.attempt, job.standard_params ->> 'jobType' as "jobType"
    from unnest(${uses.map(({ batchNumber }) => batchNumber)}::text[], ${uses.map(({ documentId }) => documentId)}::text[])
      with ordinality as named (batch_number, document_id, place)
    join print_run_document document using (batch_number, document_id)
    join print_job job on job.key = document.print_job_key
    order by named.place`.execute(tx)
  if (rows.length < uses.length) throw new Error('A serial number is used by an unknown document')
  return rows
}

/** Marks the numbers of the attempts as spoiled. */
export async function spoilSerialNumbers(
  tx: Tx,
  attempts: readonly DocumentAttempt[],
): Promise<void> {
  if (attempts.length === 0) return
  await sql`
    update serial_number number set state = 'SPOILED', changed_at = now()
    from json_to_recordset(${JSON.stringify(attempts)}::json)
      as spoiled ("batchNumber" text, "documentId" text, attempt integer)
    where number.batch_number = spoiled."batchNumber" and number.document_id = spoiled."documentId"
      and number.attempt = spoiled.attempt and number.state = 'USED'`.execute(tx)
}

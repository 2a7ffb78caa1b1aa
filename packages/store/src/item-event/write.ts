import type { PrintJobNote } from '@despatch/domain/print-job/note'
import { type ItemEventType, isSpoiling } from '@despatch/domain/print-run/item-event'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { withdrawFromPostings } from '../posting/withdraw.ts'
import { notePrintJobs } from '../print-job/notes.ts'
import { movePrintJobs } from '../print-job/print-jobs.ts'
import { updateStateOfWork } from '../print-run/reconciliation-counts.ts'
import { refuseWaitingReprints } from '../reprint/decide.ts'
import { type SerialBook, saveSerialBook } from '../serial-stock/serial-book.ts'
import { spoilSerialNumbers } from '../serial-stock/serial-numbers.ts'
import { writeEventDetails } from './details.ts'
import type { KeptEvent } from './judge.ts'
import type { EventReport } from './read.ts'

type JudgedReport = { report: EventReport; kept: readonly KeptEvent[]; book: SerialBook }

/**
 * Writes the accepted events and their consequences. Returns false if another print run has used one of the ids in the
 * meantime; the caller must then roll back.
 */
export async function writeEvents(tx: Tx, { report, kept, book }: JudgedReport): Promise<boolean> {
  if (kept.length === 0) return true
  if (!(await insertEvents(tx, report, kept))) return false
  await updateDocuments(tx, report, kept)
  await saveSerialBook(tx, book)
  await loseSpoiled(tx, report, kept)
  await writeEventDetails(tx, report, kept)
  await noteEvents(tx, report, kept)
  await failDocuments(tx, report, kept)
  await updateStateOfWork(tx, report.batchNumber)
  return true
}

async function insertEvents(
  tx: Tx,
  { providerId, batchNumber }: EventReport,
  kept: readonly KeptEvent[],
): Promise<boolean> {
  const rows = kept.map(({ event, result }) => ({
    event_id: event.eventId,
    event_hash: event.eventHash.toString('hex'),
    document_id: event.documentId,
    attempt: event.attempt,
    type: event.type,
    result,
    occurred_at: event.occurredAt,
    serial_number: event.serialNumber,
    reason_code: event.reasonCode,
    reason: event.reason,
    despatch_properties: event.despatchProperties,
  }))
  // In the order of the ids, so that two runs that use the same ids lock them in the same order.
  const { numAffectedRows } = await sql`
    insert into print_run_event (provider_id, event_id, event_hash, batch_number, document_id, attempt, type, result,
      occurred_at, serial_number, reason_code, reason, despatch_properties)
    select ${providerId}, event_id, decode(event_hash, 'hex'), ${batchNumber}, document_id, attempt, type, result,
      occurred_at, serial_number, reason_code, reason, despatch_properties
    from json_to_recordset(${JSON.stringify(rows)}::json) as event (event_id text, event_hash text, document_id text,
      attempt integer, type text, result text, occurred_at timestamptz, serial_number text, reason_code text,
      reason text, despatch_properties jsonb)
    order by event_id
    on conflict do nothing`.execute(tx)
  return Number(numAffectedRows) === kept.length
}

async function updateDocuments(
  tx: Tx,
  { batchNumber }: EventReport,
  kept: readonly KeptEvent[],
): Promise<void> {
  const standings = new Map(
    kept.map(({ event, document }) => [event.documentId, document.standing]),
  )
  const rows = [...standings].map(([id, { progress, outcome }]) => ({ id, progress, outcome }))
  await sql`
    update print_run_document document set progress = standing.progress, outcome = standing.outcome
    from json_to_recordset(${JSON.stringify(rows)}::json) as standing (id text, progress text, outcome text)
    where document.batch_number = ${batchNumber} and document.document_id = standing.id
      and (document.progress is distinct from standing.progress or document.outcome is distinct from standing.outcome)`.execute(
    tx,
  )
}

/**
 * Removes spoiled and failed documents from their postings, and marks the numbered stock that they were printed on as
 * spoiled.
 */
async function loseSpoiled(
  tx: Tx,
  { batchNumber }: EventReport,
  kept: readonly KeptEvent[],
): Promise<void> {
  const lost = kept
    .filter(({ event }) => isSpoiling(event.type))
    .map(({ event: { documentId, attempt } }) => ({ batchNumber, documentId, attempt }))
  if (lost.length === 0) return
  await spoilSerialNumbers(tx, lost)
  const documentIds = lost.map(({ documentId }) => documentId)
  await withdrawFromPostings(tx, { batchNumber, documentIds })
}

const notes = {
  FETCHED: 'fetch',
  PRINTED: 'print',
  ENCLOSED: 'enclose',
  DIVERTED: 'divert',
  SPOILED: 'spoil',
  // The rejection of the print job writes the event.
  FAILED: undefined,
} as const satisfies Record<ItemEventType, PrintJobNote | undefined>

async function noteEvents(
  tx: Tx,
  { providerId }: EventReport,
  kept: readonly KeptEvent[],
): Promise<void> {
  const rows = kept.flatMap(({ event, document: { printJobKey } }) => {
    const note = notes[event.type]
    return note ? [{ key: printJobKey, note, reason: event.reasonCode }] : []
  })
  await notePrintJobs(tx, rows, { actor: `provider:${providerId}` })
}

async function failDocuments(
  tx: Tx,
  { providerId, batchNumber }: EventReport,
  kept: readonly KeptEvent[],
): Promise<void> {
  const failed = kept.filter(({ event }) => event.type === 'FAILED')
  if (failed.length === 0) return
  const actor = `provider:${providerId}`
  const moves = failed.map(({ event: { failureComment }, document: { printJobKey } }) => ({
    key: printJobKey,
    ...(failureComment !== undefined && { comment: failureComment }),
  }))
  await movePrintJobs(tx, moves, 'reject', { actor })
  const documentIds = failed.map(({ event }) => event.documentId)
  await refuseWaitingReprints(tx, { batchNumber, documentIds, actor, reason: 'failed' })
}

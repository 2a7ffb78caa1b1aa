import type { DespatchProperty } from '@despatch/domain/print-run/despatch-properties'
import type { DocumentState } from '@despatch/domain/print-run/document-progress'
import type { ItemEventType } from '@despatch/domain/print-run/item-event'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import type { PrintRunRef } from '../print-run/lock.ts'
import { openSerialBook, type SerialBook } from '../serial-stock/serial-book.ts'

export type ReportedEvent = {
  /** Chosen by the provider; an id identifies one event for ever. */
  eventId: string
  /** Distinguishes a repeat from another event with the same id. */
  eventHash: Buffer
  documentId: string
  attempt: number
  type: ItemEventType
  /** By the provider's clock; nothing depends on it. */
  occurredAt: Date
  serialNumber?: string | undefined
  reasonCode?: string | undefined
  reason?: string | undefined
  despatchProperties?: readonly DespatchProperty[] | undefined
  /** Sent to the consumer if this event makes the document fail. */
  failureComment?: string | undefined
}

export type EventReport = PrintRunRef & { events: readonly ReportedEvent[] }

export type EventDocument = { printJobKey: string; jobType: string; standing: DocumentState }

export type EventFacts = {
  /** The named documents of the run, by their id. */
  documents: Map<string, EventDocument>
  /** Events of the provider that are stored already under ids of the report. */
  known: ReadonlyMap<string, { eventHash: Buffer; batchNumber: string }>
  /** The event types stored for each attempt, by `attemptKey`. */
  reported: Map<string, Set<ItemEventType>>
  book: SerialBook
}

/** Reads the facts that the events of a report are judged by. The caller has locked the run. */
export async function readEventFacts(tx: Tx, report: EventReport): Promise<EventFacts> {
  const documents = await listDocuments(tx, report)
  const known = await listKnown(tx, report)
  const reported = await listReported(tx, report)
  const numbers = report.events.flatMap(({ documentId, serialNumber }) => {
    const document = documents.get(documentId)
    return document && serialNumber !== undefined
      ? [{ jobType: document.jobType, serialNumber }]
      : []
  })
  return { documents, known, reported, book: await openSerialBook(tx, numbers) }
}

export function attemptKey({ documentId, attempt }: { documentId: string; attempt: number }) {
  return `${attempt} ${documentId}`
}

async function listDocuments(tx: Tx, report: EventReport): Promise<Map<string, EventDocument>> {
  const { rows } = await sql<
    DocumentState & { documentId: string; printJobKey: string; jobType: string }
  >`
    select document.document_id as "documentId", document.print_job_key as "printJobKey",
      document.first_attempt as "firstAttempt", document.attempt, document.progress, document.outcome,
      job.standard_params ->> 'jobType' as "jobType"
    from print_run_document document join print_job job on job.key = document.print_job_key
    where document.batch_number = ${report.batchNumber} and document.document_id = any (${documentIdsOf(report)}::text[])
      and document.removed_at is null and document.voided_at is null and document.sequence is not null`.execute(
    tx,
  )
  return new Map(
    rows.map(({ documentId, printJobKey, jobType, ...standing }) => [
      documentId,
      { printJobKey, jobType, standing },
    ]),
  )
}

async function listKnown(tx: Tx, { providerId, events }: EventReport) {
  const { rows } = await sql<{ eventId: string; eventHash: Buffer; batchNumber: string }>`
    select event_id as "eventId", event_hash as "eventHash", batch_number as "batchNumber"
    from print_run_event
    where provider_id = ${providerId} and event_id = any (${events.map(({ eventId }) => eventId)}::text[])`.execute(
    tx,
  )
  return new Map(rows.map(({ eventId, ...event }) => [eventId, event]))
}

async function listReported(tx: Tx, report: EventReport) {
  const { rows } = await sql<{ documentId: string; attempt: number; types: ItemEventType[] }>`
    select document_id as "documentId", attempt, array_agg(type) as types
    from print_run_event
    where batch_number = ${report.batchNumber} and document_id = any (${documentIdsOf(report)}::text[])
    group by document_id, attempt`.execute(tx)
  return new Map(rows.map((row) => [attemptKey(row), new Set(row.types)]))
}

function documentIdsOf({ events }: EventReport): string[] {
  return [...new Set(events.map(({ documentId }) => documentId))]
}

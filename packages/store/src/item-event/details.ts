import type { DespatchProperty } from '@despatch/domain/print-run/despatch-properties'
import { mergeDespatchProperties } from '@despatch/domain/print-run/despatch-properties'
import { byProduction, type ItemEventType, isSpoiling } from '@despatch/domain/print-run/item-event'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import type { KeptEvent } from './judge.ts'
import type { EventReport } from './read.ts'

/**
 * Writes the document details from the events of the current attempt: serial number and despatch properties. Events of
 * later production steps override those of earlier ones. The details are computed again from all events of the attempt,
 * so that their order of arrival does not matter. Details from a posting override all of them.
 */
export async function writeEventDetails(
  tx: Tx,
  { batchNumber }: EventReport,
  kept: readonly KeptEvent[],
): Promise<void> {
  const documentIds = kept
    .filter(({ event, document }) => {
      const hasDetails = event.serialNumber !== undefined || event.despatchProperties !== undefined
      return hasDetails && event.attempt === document.standing.attempt
    })
    .map(({ event }) => event.documentId)
  if (documentIds.length === 0) return
  const rows = (await listReportedDocuments(tx, { batchNumber, documentIds })).map(detailsOf)
  await sql`
    with detail as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json)
        as row (document_id text, serial_number text, mailmark_item_id text, despatch_properties jsonb)
    ), document as (
      update print_run_document document set serial_number = detail.serial_number,
        mailmark_item_id = detail.mailmark_item_id, despatch_properties = detail.despatch_properties
      from detail
      where document.batch_number = ${batchNumber} and document.document_id = detail.document_id
      returning document.print_job_key, document.serial_number
    )
    update print_job job set serial_number = document.serial_number, updated_at = now() from document
    where job.key = document.print_job_key and job.serial_number is distinct from document.serial_number`.execute(
    tx,
  )
}

type ReportedDocument = {
  documentId: string
  isPosted: boolean
  serialNumber: string | null
  despatchProperties: DespatchProperty[] | null
  events: {
    eventId: string
    type: ItemEventType
    serialNumber: string | null
    despatchProperties: DespatchProperty[] | null
  }[]
}

async function listReportedDocuments(
  tx: Tx,
  { batchNumber, documentIds }: { batchNumber: string; documentIds: readonly string[] },
): Promise<ReportedDocument[]> {
  const { rows } = await sql<ReportedDocument>`
    select document.document_id as "documentId", document.posting_id is not null as "isPosted",
      document.serial_number as "serialNumber", document.despatch_properties as "despatchProperties",
      json_agg(json_build_object('eventId', event.event_id, 'type', event.type,
        'serialNumber', event.serial_number, 'despatchProperties', event.despatch_properties)) as events
    from print_run_document document
    join print_run_event event on event.batch_number = document.batch_number
      and event.document_id = document.document_id and event.attempt = document.attempt
    where document.batch_number = ${batchNumber} and document.document_id = any (${documentIds}::text[])
    group by document.batch_number, document.document_id`.execute(tx)
  return rows
}

function detailsOf({ documentId, isPosted, serialNumber, ...document }: ReportedDocument) {
  const events = document.events.toSorted(byProduction)
  // The number of a spoiled sheet may differ from that of the sheet that is posted.
  const printed = events.filter(({ type }) => !isSpoiling(type))
  const printedSerialNumber =
    printed.findLast((event) => event.serialNumber !== null)?.serialNumber ?? null
  const ofEvents = events.map(({ despatchProperties }) => despatchProperties ?? [])
  const ofPosting = isPosted ? (document.despatchProperties ?? []) : []
  const properties = mergeDespatchProperties(...ofEvents, ofPosting)
  return {
    document_id: documentId,
    serial_number: isPosted ? (serialNumber ?? printedSerialNumber) : printedSerialNumber,
    mailmark_item_id: properties.find(({ key }) => key === 'mailmarkItemId')?.value,
    despatch_properties: properties.length > 0 ? properties : null,
  }
}

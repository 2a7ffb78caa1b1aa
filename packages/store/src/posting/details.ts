import {
  type DespatchProperty,
  mergeDespatchProperties,
} from '@despatch/domain/print-run/despatch-properties'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { type SerialNumberOutcome, useSerialNumbers } from '../serial-stock/serial-numbers.ts'

/** Details of one document of a posting. */
export type PostedDetail = {
  documentId: string
  serialNumber?: string | undefined
  despatchProperties?: readonly DespatchProperty[] | undefined
}

export type DetailsRefusal =
  | { kind: 'details-not-covered'; documentIds: string[] }
  | { kind: 'serial-number-refused'; numbers: RefusedSerialNumber[] }

export type RefusedSerialNumber = {
  documentId: string
  serialNumber: string
  outcome: Exclude<SerialNumberOutcome, 'used'>
}

type CoveredDocument = {
  batchNumber: string
  documentId: string
  despatchProperties: DespatchProperty[] | null
}

type Details = { providerId: string; postingId: string; details: readonly PostedDetail[] }

/**
 * Writes the provider's details of single documents of a posting. Details from item events stay unless the posting
 * overrides them. After a refusal, the caller must roll back.
 */
export async function writeDetails(tx: Tx, given: Details): Promise<DetailsRefusal | undefined> {
  const { details } = given
  if (details.length === 0) return
  const covered = await listCovered(tx, given)
  const unknown = details.filter(({ documentId }) => !covered.has(documentId))
  if (unknown.length > 0) {
    const documentIds = unknown.map(({ documentId }) => documentId)
    return { kind: 'details-not-covered', documentIds }
  }
  const numbers = await useNumbers(tx, given, covered)
  if (numbers.length > 0) return { kind: 'serial-number-refused', numbers }
  await updateDocuments(tx, details, covered)
}

async function listCovered(
  tx: Tx,
  { postingId, details }: Details,
): Promise<Map<string, CoveredDocument>> {
  const { rows } = await sql<CoveredDocument>`
    select batch_number as "batchNumber", document_id as "documentId", despatch_properties as "despatchProperties"
    from print_run_document
    where posting_id = ${postingId}
      and document_id = any (${details.map(({ documentId }) => documentId)}::text[])`.execute(tx)
  return new Map(rows.map((row) => [row.documentId, row]))
}

async function useNumbers(
  tx: Tx,
  { providerId, details }: Details,
  covered: ReadonlyMap<string, CoveredDocument>,
): Promise<RefusedSerialNumber[]> {
  const uses = details.flatMap(({ documentId, serialNumber }) =>
    serialNumber === undefined
      ? []
      : [{ batchNumber: covered.get(documentId)!.batchNumber, documentId, serialNumber }],
  )
  const outcomes = await useSerialNumbers(tx, { providerId, uses })
  return uses.flatMap(({ documentId, serialNumber }, index) => {
    const outcome = outcomes[index]!
    return outcome === 'used' ? [] : [{ documentId, serialNumber, outcome }]
  })
}

async function updateDocuments(
  tx: Tx,
  details: readonly PostedDetail[],
  covered: ReadonlyMap<string, CoveredDocument>,
): Promise<void> {
  const rows = details.map(({ documentId, despatchProperties = [], serialNumber }) => {
    const { batchNumber, despatchProperties: before } = covered.get(documentId)!
    const properties = mergeDespatchProperties(before ?? [], despatchProperties)
    return {
      batch_number: batchNumber,
      document_id: documentId,
      serial_number: serialNumber,
      mailmark_item_id: properties.find(({ key }) => key === 'mailmarkItemId')?.value,
      ...(properties.length > 0 && { despatch_properties: properties }),
    }
  })
  await sql`
    update print_run_document document set
      serial_number = coalesce(detail.serial_number, document.serial_number),
      mailmark_item_id = coalesce(detail.mailmark_item_id, document.mailmark_item_id),
      despatch_properties = coalesce(detail.despatch_properties, document.despatch_properties)
    from json_to_recordset(${JSON.stringify(rows)}::json) as detail (
      batch_number text, document_id text, serial_number text, mailmark_item_id text, despatch_properties jsonb)
    where document.batch_number = detail.batch_number and document.document_id = detail.document_id`.execute(
    tx,
  )
}

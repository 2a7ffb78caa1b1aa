import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from './database.ts'
import { lockPrintRun, type PrintRunRef } from './print-runs-lock.ts'
import type { DespatchProperty } from './schema.ts'

export type NewPosting = PrintRunRef & {
  /** Chosen by the provider; one key stands for one posting for ever. */
  postingKey: string
  requestHash: Buffer
  carrier: string
  handoverAt: Date
  manifestNumber?: string | undefined
  despatchProperties: readonly DespatchProperty[]
  /** The documents handed over; absent means all of the run that are neither refused nor in another posting. */
  documentIds?: readonly string[] | undefined
  /** What is particular to some of them. */
  details: readonly PostedDetail[]
}

export type PostedDetail = {
  documentId: string
  serialNumber?: string | undefined
  despatchProperties?: readonly DespatchProperty[] | undefined
}

export type Posting = {
  postingId: string
  batchNumber: string
  documentCount: number
  sheetCount: number
  createdAt: Date
  confirmedAt: Date | null
  confirmedCount: number | null
}

export type PostingOutcome =
  | { kind: 'posted'; posting: Posting }
  | { kind: 'absent' }
  | { kind: 'key-reused' }
  | { kind: 'not-acknowledged' }
  | { kind: 'nothing-to-post' }
  | { kind: 'not-postable'; documentIds: string[] }

/**
 * Saves a posting and takes its documents, so that no other posting can cover them. A repeat with the same key and
 * request gets the same posting. Nothing is despatched before the posting is confirmed.
 */
export async function insertPosting(db: Db, posting: NewPosting): Promise<PostingOutcome> {
  return db.transaction().execute(async (tx) => {
    const run = await lockPrintRun(tx, posting)
    if (!run) return { kind: 'absent' }
    const earlier = await findByKey(tx, posting)
    if (earlier) {
      const isRepeat = earlier.requestHash.equals(posting.requestHash)
      return isRepeat ? { kind: 'posted', posting: earlier.posting } : { kind: 'key-reused' }
    }
    if (!run.acknowledgedAt) return { kind: 'not-acknowledged' }

    const missing = await findNotPostable(tx, posting)
    if (missing.length > 0) return { kind: 'not-postable', documentIds: missing }
    const saved = await insertPostingRow(tx, posting)
    if (saved === 'nothing-to-post' || saved === 'key-reused') return { kind: saved }
    await coverDocuments(tx, posting, saved.postingId)
    return { kind: 'posted', posting: saved }
  })
}

async function findByKey(tx: Tx, { providerId, postingKey }: NewPosting) {
  const row = await tx
    .selectFrom('posting')
    .innerJoin('posting_run', 'posting_run.posting_id', 'posting.id')
    .select([
      'id as postingId',
      'posting_run.batch_number as batchNumber',
      'posting.document_count as documentCount',
      'posting.sheet_count as sheetCount',
      'created_at as createdAt',
      'confirmed_at as confirmedAt',
      'confirmed_count as confirmedCount',
      'request_hash as requestHash',
    ])
    .where('provider_id', '=', providerId)
    .where('posting_key', '=', postingKey)
    .executeTakeFirst()
  if (!row) return
  const { requestHash, ...posting } = row
  return { requestHash, posting }
}

/** Named documents that are not in the run, are refused, or are in another posting already. */
async function findNotPostable(
  tx: Tx,
  { batchNumber, documentIds = [], details }: NewPosting,
): Promise<string[]> {
  const named = new Set([...documentIds, ...details.map(({ documentId }) => documentId)])
  const { rows } = await sql<{ document_id: string }>`
    select named.document_id from unnest(${[...named]}::text[]) as named (document_id)
    where not exists (
      select from print_run_document document
      where document.batch_number = ${batchNumber} and document.document_id = named.document_id
        and document.removed_at is null and document.outcome is null and document.posting_id is null)`.execute(
    tx,
  )
  return rows.map(({ document_id }) => document_id)
}

async function insertPostingRow(
  tx: Tx,
  posting: NewPosting,
): Promise<Posting | 'nothing-to-post' | 'key-reused'> {
  const covered = await countCovered(tx, posting)
  if (covered.documents === 0) return 'nothing-to-post'
  const row = await tx
    .insertInto('posting')
    .values({
      id: randomUUID(),
      provider_id: posting.providerId,
      posting_key: posting.postingKey,
      request_hash: posting.requestHash,
      carrier: posting.carrier,
      handover_at: posting.handoverAt,
      manifest_number: posting.manifestNumber ?? null,
      despatch_properties: JSON.stringify(posting.despatchProperties),
      document_count: covered.documents,
      sheet_count: covered.sheets,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'created_at'])
    .executeTakeFirst()
  if (!row) return 'key-reused'
  await tx
    .insertInto('posting_run')
    .values({
      posting_id: row.id,
      batch_number: posting.batchNumber,
      document_count: covered.documents,
      sheet_count: covered.sheets,
    })
    .execute()
  return {
    postingId: row.id,
    batchNumber: posting.batchNumber,
    documentCount: covered.documents,
    sheetCount: covered.sheets,
    createdAt: row.created_at,
    confirmedAt: null,
    confirmedCount: null,
  }
}

async function countCovered(tx: Tx, { batchNumber, documentIds }: NewPosting) {
  const { rows } = await sql<{ documents: number; sheets: number }>`
    select count(*)::integer as documents, coalesce(sum(sheets), 0)::integer as sheets from print_run_document
    where batch_number = ${batchNumber} and removed_at is null and outcome is null and posting_id is null
      and (${documentIds ?? null}::text[] is null or document_id = any (${documentIds ?? null}::text[]))`.execute(
    tx,
  )
  return rows[0]!
}

async function coverDocuments(
  tx: Tx,
  { batchNumber, documentIds, details }: NewPosting,
  postingId: string,
): Promise<void> {
  await sql`
    update print_run_document set posting_id = ${postingId}
    where batch_number = ${batchNumber} and removed_at is null and outcome is null and posting_id is null
      and (${documentIds ?? null}::text[] is null or document_id = any (${documentIds ?? null}::text[]))`.execute(
    tx,
  )
  if (details.length === 0) return
  await sql`
    update print_run_document document set
      serial_number = detail.serial_number, despatch_properties = detail.despatch_properties
    from json_to_recordset(${JSON.stringify(details.map(toRow))}::json)
      as detail (document_id text, serial_number text, despatch_properties jsonb)
    where document.batch_number = ${batchNumber} and document.document_id = detail.document_id`.execute(
    tx,
  )
}

function toRow({ documentId, serialNumber, despatchProperties }: PostedDetail) {
  return {
    document_id: documentId,
    serial_number: serialNumber,
    despatch_properties: despatchProperties,
  }
}

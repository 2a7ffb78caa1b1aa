import type { WeighedCount } from '@despatch/domain/print-run/posting-counts'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

export type Posting = {
  postingId: string
  state: 'SAVED' | 'CONFIRMED'
  /** Null if the posting covers several print runs. */
  batchNumber: string | null
  /** In order of their batch numbers. */
  printRuns: PostedPrintRun[]
  carrier: string
  handoverAt: Date
  manifestNumber: string | null
  documentCount: number
  sheetCount: number
  /** What the carrier counted, beside our estimate. Null: it reported no counts. */
  counts: WeighedCount[] | null
  evidence: PostingEvidence[]
  createdAt: Date
  confirmedAt: Date | null
}

export type PostedPrintRun = { batchNumber: string; documentCount: number; sheetCount: number }

type PostingEvidence = {
  evidenceId: string
  fileName: string
  mediaType: string
  createdAt: Date
}

export type PostingRef = { providerId: string; postingId: string }

/** Finds a posting of the provider. Returns undefined if it has no such posting. */
export async function findPosting(
  db: Db,
  { providerId, postingId }: PostingRef,
): Promise<Posting | undefined> {
  const row = await db
    .selectFrom('posting')
    .select([
      'id as postingId',
      'carrier',
      'handover_at as handoverAt',
      'manifest_number as manifestNumber',
      'document_count as documentCount',
      'sheet_count as sheetCount',
      'counts',
      'created_at as createdAt',
      'confirmed_at as confirmedAt',
    ])
    .where('id', '=', postingId)
    .where('provider_id', '=', providerId)
    .executeTakeFirst()
  if (!row) return
  const printRuns = await listPostedPrintRuns(db, postingId)
  return {
    ...row,
    state: row.confirmedAt ? 'CONFIRMED' : 'SAVED',
    batchNumber: printRuns.length === 1 ? printRuns[0]!.batchNumber : null,
    printRuns,
    evidence: await listEvidence(db, postingId),
  }
}

/** Lists the runs that a posting covers, in locking order. */
export function listPostedPrintRuns(db: Db, postingId: string): Promise<PostedPrintRun[]> {
  return db
    .selectFrom('posting_run')
    .select([
      'batch_number as batchNumber',
      'document_count as documentCount',
      'sheet_count as sheetCount',
    ])
    .where('posting_id', '=', postingId)
    .orderBy(sql`batch_number collate "C"`)
    .execute()
}

function listEvidence(db: Db, postingId: string): Promise<PostingEvidence[]> {
  return db
    .selectFrom('posting_evidence')
    .select([
      'id as evidenceId',
      'file_name as fileName',
      'media_type as mediaType',
      'created_at as createdAt',
    ])
    .where('posting_id', '=', postingId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

import type { MailFormat } from '@despatch/domain/print-run/mail-format'
import type {
  ManifestDocument,
  ManifestRun,
  ManifestTotals,
} from '@despatch/domain/print-run/manifest-digest'
import type { PrintedOn } from '@despatch/domain/print-run/weight'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { PrintRunRef } from './lock.ts'

type FrozenManifest = ManifestRun &
  ManifestTotals &
  PrintedOn & {
    manifestDigest: string
    format: MailFormat
    printEpoch: number
    expectedDespatchDate: string | null
  }

/**
 * Finds the frozen manifest of a claimed run. Returns undefined if the provider has no such run, or nobody has claimed
 * it.
 */
export async function findFrozenManifest(
  db: Db,
  { providerId, batchNumber }: PrintRunRef,
): Promise<FrozenManifest | undefined> {
  const { rows } = await sql<FrozenManifest>`
    select batch_number as "batchNumber", print_location as "printLocation", despatch_method as "despatchMethod",
      format, stationery, materials, plex, colour, print_epoch as "printEpoch", expected_despatch_on as "expectedDespatchDate",
      manifest_version as "manifestVersion", document_count as "documentCount",
      sheet_count as "sheetCount", page_count as "pageCount", byte_count as "byteCount",
      encode(manifest_digest, 'hex') as "manifestDigest"
    from print_run
    where batch_number = ${batchNumber} and provider_id = ${providerId} and claimed_at is not null`.execute(
    db,
  )
  return rows[0]
}

/** Documents per round trip, which keeps memory use constant however large the run is. */
const pageDocumentsMax = 1_000

/** Returns all documents of a claimed run in order, in pages. */
export async function* pageManifestDocuments(
  db: Db,
  batchNumber: string,
): AsyncGenerator<ManifestDocument[]> {
  let after = 0
  for (;;) {
    const page = await listManifestDocuments(db, batchNumber, {
      after,
      documentsMax: pageDocumentsMax,
    })
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (!last || page.length < pageDocumentsMax) return
    after = last.sequence
  }
}

/** Lists one page of the documents of a claimed run, in order: those whose sequence is above `after`. */
export async function listManifestDocuments(
  db: Db,
  batchNumber: string,
  { after, documentsMax }: { after: number; documentsMax: number },
): Promise<ManifestDocument[]> {
  const { rows } = await sql<ManifestDocument>`
    select sequence, document_id as "documentId", fulfilment_job_id as "fulfilmentJobId", first_attempt as attempt, sheets, pages,
      bytes, encode(sha256, 'hex') as sha256
    from print_run_document
    where batch_number = ${batchNumber} and sequence > ${after} and removed_at is null
    order by sequence
    limit ${documentsMax}`.execute(db)
  return rows
}

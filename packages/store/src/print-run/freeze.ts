import { createHash } from 'node:crypto'
import {
  type ManifestTotals,
  manifestDocumentLine,
  manifestRunLine,
  manifestTotalsLine,
} from '@despatch/domain/print-run/manifest-digest'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { movePrintJobs } from '../print-job/print-jobs.ts'
import type { OfferedPrintRun } from './lock.ts'
import { pageManifestDocuments } from './manifest.ts'

/** The content of a claim. It never changes, however often it is requested. */
export type ClaimedPrintRun = {
  batchNumber: string
  claimedAt: Date
  leaseUntil: Date
  manifestVersion: number
  manifestDigest: string
  documentCount: number
  sheetCount: number
  pageCount: number
  byteCount: number
}

type ClaimTerms = { providerId: string; leaseSeconds: number }

/** Documents per round trip, which keeps memory use constant however large the run is. */
const pageDocumentsMax = 5_000

/**
 * Moves the print jobs of a locked, RELEASED run to PRODUCTION and freezes those that could be moved; a print job that
 * was deleted first is left out. Returns undefined if nothing was left; the run is then closed.
 */
export async function freezeManifest(
  tx: Tx,
  run: OfferedPrintRun,
  claim: ClaimTerms,
): Promise<ClaimedPrintRun | undefined> {
  await produceAll(tx, run, claim)
  const { counts, digest } = await readFrozen(tx, run, await countWithdrawn(tx, run))
  if (counts.documentCount === 0) return closeEmptyRun(tx, run)
  return updateFrozen(tx, run, { totals: counts, digest, leaseSeconds: claim.leaseSeconds })
}

/**
 * Pages by document id, which is the order in which print jobs arrived. Their rows and index entries then lie together,
 * which they do not in printing order.
 */
async function produceAll(tx: Tx, run: OfferedPrintRun, claim: ClaimTerms): Promise<void> {
  let after = ''
  for (;;) {
    const page = await listReleasedDocuments(tx, run.batchNumber, after)
    await produce(tx, run, page, claim)
    const last = page.at(-1)
    if (!last || page.length < pageDocumentsMax) return
    after = last.documentId
  }
}

type ReleasedDocument = { printJobKey: string; documentId: string; fulfilmentJobId: string }

async function listReleasedDocuments(
  tx: Tx,
  batchNumber: string,
  after: string,
): Promise<ReleasedDocument[]> {
  const { rows } = await sql<ReleasedDocument>`
    select print_job_key as "printJobKey", document_id as "documentId", fulfilment_job_id as "fulfilmentJobId"
    from print_run_document
    where batch_number = ${batchNumber} and document_id > ${after} and removed_at is null
    order by document_id
    limit ${pageDocumentsMax}`.execute(tx)
  return rows
}

async function produce(
  tx: Tx,
  run: OfferedPrintRun,
  documents: readonly ReleasedDocument[],
  { providerId }: ClaimTerms,
): Promise<void> {
  const { batchNumber, printLocation } = run
  const moves = documents.map(({ printJobKey, fulfilmentJobId, documentId }) => ({
    key: printJobKey,
    fulfilment: { batchNumber, fulfilmentJobId, documentId, printLocation },
  }))
  const produced = new Set(
    run.printEpoch === 1
      ? await movePrintJobs(tx, moves, 'produce', { actor: `provider:${providerId}` })
      : await renameInProduction(tx, run, documents),
  )
  const left = documents.filter(({ printJobKey }) => !produced.has(printJobKey))
  if (left.length > 0) await withdraw(tx, batchNumber, left)
}

async function readFrozen(
  tx: Tx,
  run: OfferedPrintRun,
  withdrawn: number,
): Promise<{ counts: ManifestTotals; digest: Buffer }> {
  const hash = createHash('sha256').update(manifestRunLine(run))
  const counts = {
    manifestVersion: 1 + withdrawn,
    documentCount: 0,
    sheetCount: 0,
    pageCount: 0,
    byteCount: 0,
  }
  for await (const page of pageManifestDocuments(tx, run.batchNumber)) {
    hash.update(page.map(manifestDocumentLine).join(''))
    for (const { sheets, pages, bytes } of page) {
      counts.documentCount += 1
      counts.sheetCount += sheets
      counts.pageCount += pages
      counts.byteCount += bytes
    }
  }
  return { counts, digest: hash.update(manifestTotalsLine(counts)).digest() }
}

/**
 * Updates the run and the location of print jobs that are already in PRODUCTION: in a run with a higher print epoch,
 * the documents were claimed before, in the run that they were moved from. Returns the keys of the print jobs that are
 * still in PRODUCTION.
 */
async function renameInProduction(
  tx: Tx,
  { batchNumber, printLocation }: OfferedPrintRun,
  documents: readonly ReleasedDocument[],
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    update print_job job set batch_number = ${batchNumber}, fulfilment_job_id = row.fulfilment_job_id,
      document_id = row.document_id, print_location = ${printLocation}, updated_at = now()
    from unnest(${documents.map(({ printJobKey }) => printJobKey)}::uuid[],
      ${documents.map(({ fulfilmentJobId }) => fulfilmentJobId)}::text[],
      ${documents.map(({ documentId }) => documentId)}::text[]) as row (key, fulfilment_job_id, document_id)
    where job.key = row.key and job.status = 'PRODUCTION'
    returning job.key`.execute(tx)
  return rows.map(({ key }) => key)
}

async function withdraw(
  tx: Tx,
  batchNumber: string,
  documents: readonly ReleasedDocument[],
): Promise<void> {
  await sql`
    update print_run_document set removed_at = now()
    where batch_number = ${batchNumber} and removed_at is null
      and document_id = any (${documents.map(({ documentId }) => documentId)}::text[])`.execute(tx)
}

/** Closes a run that no document is left in. The caller has locked it. */
export async function closeEmptyRun(
  tx: Tx,
  { batchNumber }: { batchNumber: string },
): Promise<undefined> {
  await sql`
    update print_run set state = 'CLOSED', closed_at = now()
    where batch_number = ${batchNumber}`.execute(tx)
}

async function countWithdrawn(tx: Tx, { batchNumber }: OfferedPrintRun): Promise<number> {
  const { rows } = await sql<{ withdrawn: number }>`
    select count(*) as withdrawn from print_run_document
    where batch_number = ${batchNumber} and removed_at is not null and sequence is not null`.execute(
    tx,
  )
  return rows[0]!.withdrawn
}

async function updateFrozen(
  tx: Tx,
  { batchNumber }: OfferedPrintRun,
  frozen: { totals: ManifestTotals; digest: Buffer; leaseSeconds: number },
): Promise<ClaimedPrintRun> {
  const { totals, digest, leaseSeconds } = frozen
  const { rows } = await sql<{ claimedAt: Date; leaseUntil: Date }>`
    update print_run set
      state = 'CLAIMED',
      claimed_at = now(),
      lease_until = now() + ${leaseSeconds}::integer * interval '1 second',
      manifest_version = ${totals.manifestVersion},
      manifest_digest = ${digest},
      document_count = ${totals.documentCount},
      sheet_count = ${totals.sheetCount},
      page_count = ${totals.pageCount},
      byte_count = ${totals.byteCount}
    where batch_number = ${batchNumber}
    returning claimed_at as "claimedAt", lease_until as "leaseUntil"`.execute(tx)
  await freezeTemplateJobs(tx, batchNumber)
  return { batchNumber, ...rows[0]!, ...totals, manifestDigest: digest.toString('hex') }
}

// Few contracts provide template data. If none does, the documents need not be scanned.
async function freezeTemplateJobs(tx: Tx, batchNumber: string): Promise<void> {
  const { rows } = await sql`select from contract where template_data limit 1`.execute(tx)
  if (rows.length === 0) return
  await sql`
    update print_run set template_jobs = array(
      select distinct document.fulfilment_job_id
      from print_run_document document
      join print_job job on job.key = document.print_job_key
      join contract on contract.id = job.contract_id and contract.template_data
      where document.batch_number = ${batchNumber} and document.removed_at is null
      order by document.fulfilment_job_id)
    where batch_number = ${batchNumber}`.execute(tx)
}

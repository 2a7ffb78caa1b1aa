import { createHash } from 'node:crypto'
import {
  type ManifestDocument,
  type ManifestTotals,
  manifestDocumentLine,
  manifestRunLine,
  manifestTotalsLine,
} from '@despatch/domain/print-run/manifest-digest'
import { sql } from 'kysely'
import type { Tx } from './database.ts'
import { movePrintJobs } from './print-jobs.ts'
import type { Claim, ClaimedPrintRun } from './print-runs-claim.ts'
import type { LockedPrintRun } from './print-runs-lock.ts'

/** Documents handled by one round trip, which keeps memory flat however large the run is. */
const pageDocumentsMax = 5_000

/**
 * Moves the print jobs of a locked, RELEASED run to PRODUCTION and freezes what could be moved: a job that was
 * deleted first is out. Undefined: nothing was left, and the run is closed.
 */
export async function freezeManifest(
  tx: Tx,
  run: LockedPrintRun,
  claim: Claim,
): Promise<ClaimedPrintRun | undefined> {
  const hash = createHash('sha256').update(manifestRunLine(run))
  const counts = { documentCount: 0, sheetCount: 0, pageCount: 0, byteCount: 0 }
  let after = 0
  for (;;) {
    const page = await listReleasedDocuments(tx, run.batchNumber, after)
    const produced = await produce(tx, run, page, claim)
    hash.update(produced.map(manifestDocumentLine).join(''))
    for (const { sheets, pages, bytes } of produced) {
      counts.documentCount += 1
      counts.sheetCount += sheets
      counts.pageCount += pages
      counts.byteCount += bytes
    }
    const last = page.at(-1)
    if (!last || page.length < pageDocumentsMax) break
    after = last.sequence
  }
  if (counts.documentCount === 0) return closeEmptyRun(tx, run)

  const totals = { manifestVersion: 1 + (await countWithdrawn(tx, run)), ...counts }
  const digest = hash.update(manifestTotalsLine(totals)).digest()
  return updateFrozen(tx, run, { totals, digest, leaseSeconds: claim.leaseSeconds })
}

type ReleasedDocument = ManifestDocument & { printJobKey: string }

async function listReleasedDocuments(
  tx: Tx,
  batchNumber: string,
  after: number,
): Promise<ReleasedDocument[]> {
  const { rows } = await sql<ReleasedDocument>`
    select print_job_key as "printJobKey", sequence, document_id as "documentId",
      fulfilment_job_id as "fulfilmentJobId", first_attempt as attempt, sheets, pages, bytes, encode(sha256, 'hex') as sha256
    from print_run_document
    where batch_number = ${batchNumber} and sequence > ${after} and removed_at is null
    order by sequence
    limit ${pageDocumentsMax}`.execute(tx)
  return rows
}

async function produce(
  tx: Tx,
  { batchNumber, printLocation }: LockedPrintRun,
  documents: readonly ReleasedDocument[],
  { providerId }: Claim,
): Promise<ReleasedDocument[]> {
  const moves = documents.map(({ printJobKey, fulfilmentJobId, documentId }) => ({
    key: printJobKey,
    fulfilment: { batchNumber, fulfilmentJobId, documentId, printLocation },
  }))
  const moved = new Set(
    await movePrintJobs(tx, moves, 'produce', { actor: `provider:${providerId}` }),
  )
  if (moved.size === documents.length) return [...documents]

  const left = documents.filter(({ printJobKey }) => !moved.has(printJobKey))
  await withdraw(tx, batchNumber, left)
  return documents.filter(({ printJobKey }) => moved.has(printJobKey))
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

async function closeEmptyRun(tx: Tx, { batchNumber }: LockedPrintRun): Promise<undefined> {
  await sql`
    update print_run set state = 'CLOSED', closed_at = now()
    where batch_number = ${batchNumber}`.execute(tx)
}

async function countWithdrawn(tx: Tx, { batchNumber }: LockedPrintRun): Promise<number> {
  const { rows } = await sql<{ withdrawn: number }>`
    select count(*) as withdrawn from print_run_document
    where batch_number = ${batchNumber} and removed_at is not null and sequence is not null`.execute(
    tx,
  )
  return rows[0]!.withdrawn
}

async function updateFrozen(
  tx: Tx,
  { batchNumber }: LockedPrintRun,
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
  return { batchNumber, ...rows[0]!, ...totals, manifestDigest: digest.toString('hex') }
}

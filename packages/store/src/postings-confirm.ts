import { despatchProperties } from '@despatch/domain/print-run/despatch-properties'
import { sql } from 'kysely'
import type { Db, Tx } from './database.ts'
import { movePrintJobs } from './print-jobs.ts'
import { type LockedPrintRun, lockPrintRun } from './print-runs-lock.ts'
import type { DespatchProperty } from './schema.ts'

export type ConfirmedPosting = {
  postingId: string
  batchNumber: string
  documentCount: number
  sheetCount: number
  confirmedAt: Date
}

/** Documents handled by one round trip, which keeps memory flat however large the posting is. */
const pageDocumentsMax = 5_000

/**
 * Confirms a posting: the print jobs it covers become DESPATCHED, and the run is POSTED once nothing of it is left.
 * Confirming again moves nothing and gives the same answer. Undefined: no such posting of the provider.
 */
export async function confirmPosting(
  db: Db,
  { providerId, postingId }: { providerId: string; postingId: string },
): Promise<ConfirmedPosting | undefined> {
  return db.transaction().execute(async (tx) => {
    const batchNumber = await findBatchNumber(tx, { providerId, postingId })
    const run = batchNumber && (await lockPrintRun(tx, { providerId, batchNumber }))
    if (!run) return
    const posting = await getPosting(tx, postingId)
    if (!posting.confirmedAt) {
      const confirmedCount = await despatchDocuments(tx, { run, posting, providerId })
      await updateConfirmed(tx, postingId, confirmedCount)
      await updatePosted(tx, run)
    }
    const { confirmedAt } = await getPosting(tx, postingId)
    const { documentCount, sheetCount } = posting
    return {
      postingId,
      batchNumber: run.batchNumber,
      documentCount,
      sheetCount,
      confirmedAt: confirmedAt!,
    }
  })
}

async function findBatchNumber(
  tx: Tx,
  { providerId, postingId }: { providerId: string; postingId: string },
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('posting')
    .innerJoin('posting_run', 'posting_run.posting_id', 'posting.id')
    .select('posting_run.batch_number')
    .where('posting.id', '=', postingId)
    .where('posting.provider_id', '=', providerId)
    .executeTakeFirst()
  return row?.batch_number
}

type StoredPosting = Awaited<ReturnType<typeof getPosting>>

function getPosting(tx: Tx, postingId: string) {
  return tx
    .selectFrom('posting')
    .select([
      'id as postingId',
      'carrier',
      'handover_at as handoverAt',
      'manifest_number as manifestNumber',
      'despatch_properties as despatchProperties',
      'document_count as documentCount',
      'sheet_count as sheetCount',
      'confirmed_at as confirmedAt',
    ])
    .where('id', '=', postingId)
    .executeTakeFirstOrThrow()
}

type PostedDocument = {
  printJobKey: string
  sequence: number
  sheets: number
  serialNumber: string | null
  despatchProperties: DespatchProperty[] | null
}

type Confirmation = { run: LockedPrintRun; posting: StoredPosting; providerId: string }

async function despatchDocuments(tx: Tx, confirmation: Confirmation): Promise<number> {
  const { posting, providerId } = confirmation
  let moved = 0
  let after = 0
  for (;;) {
    const page = await listPostedDocuments(tx, posting.postingId, after)
    const moves = page.map((document) => despatchMove(document, confirmation))
    const keys = await movePrintJobs(tx, moves, 'despatch', { actor: `provider:${providerId}` })
    moved += keys.length
    const last = page.at(-1)
    if (!last || page.length < pageDocumentsMax) return moved
    after = last.sequence
  }
}

async function listPostedDocuments(
  tx: Tx,
  postingId: string,
  after: number,
): Promise<PostedDocument[]> {
  const { rows } = await sql<PostedDocument>`
    select print_job_key as "printJobKey", sequence, sheets, serial_number as "serialNumber",
      despatch_properties as "despatchProperties"
    from print_run_document
    where posting_id = ${postingId} and sequence > ${after}
    order by sequence
    limit ${pageDocumentsMax}`.execute(tx)
  return rows
}

function despatchMove(document: PostedDocument, { run, posting }: Confirmation) {
  const { printJobKey, sheets, serialNumber } = document
  return {
    key: printJobKey,
    fulfilment: {
      ...(serialNumber !== null && { serialNumber }),
      despatchProperties: despatchProperties({
        despatchMethod: run.despatchMethod,
        sheets,
        producedAt: run.claimedAt!,
        carrier: posting.carrier,
        handoverAt: posting.handoverAt,
        manifestNumber: posting.manifestNumber ?? undefined,
        ofPosting: posting.despatchProperties,
        ofDocument: document.despatchProperties ?? [],
      }),
    },
  }
}

async function updateConfirmed(tx: Tx, postingId: string, confirmedCount: number): Promise<void> {
  await sql`
    update print_run_document set outcome = 'DESPATCHED' where posting_id = ${postingId}`.execute(
    tx,
  )
  await sql`
    update posting set confirmed_at = now(), confirmed_count = ${confirmedCount}
    where id = ${postingId}`.execute(tx)
}

async function updatePosted(tx: Tx, { batchNumber }: LockedPrintRun): Promise<void> {
  await sql`
    update print_run run set
      state = case when remaining.documents = 0 then 'POSTED' else 'IN_PRODUCTION' end,
      posted_at = case when remaining.documents = 0 then now() end
    from (
      select count(*) as documents from print_run_document
      where batch_number = ${batchNumber} and removed_at is null and outcome is null
    ) remaining
    where run.batch_number = ${batchNumber}`.execute(tx)
}

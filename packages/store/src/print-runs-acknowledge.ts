import { type AcknowledgedState, stateAfterAcknowledgement } from '@despatch/domain/print-run/state'
import { sql } from 'kysely'
import type { Db, Tx } from './database.ts'
import { movePrintJobs } from './print-jobs.ts'
import { type LockedPrintRun, lockPrintRun, type PrintRunRef } from './print-runs-lock.ts'

export type Acknowledgement = PrintRunRef & {
  requestHash: Buffer
  documentCount: number
  sheetCount: number
  manifestDigest: string
  /** Documents that the provider will not print; the comment goes to the consumer. */
  refusals: readonly { documentId: string; comment: string }[]
}

export type AcknowledgedPrintRun = {
  batchNumber: string
  state: AcknowledgedState
  acceptedCount: number
  refusedCount: number
  acknowledgedAt: Date
}

export type AcknowledgementOutcome =
  | { kind: 'acknowledged'; run: AcknowledgedPrintRun }
  | { kind: 'absent' }
  | { kind: 'not-claimed' }
  | { kind: 'acknowledged-otherwise' }
  | { kind: 'mismatch'; field: 'manifestDigest' | 'documentCount' | 'sheetCount' }
  | { kind: 'unknown-documents'; documentIds: string[] }

/**
 * Notes that the provider has the run it was given, and rejects the print jobs of the documents it refuses.
 * When digest or counts differ, or a refused document is not in the run, nothing moves. Repeating it is safe.
 */
export async function acknowledgePrintRun(
  db: Db,
  acknowledgement: Acknowledgement,
): Promise<AcknowledgementOutcome> {
  return db.transaction().execute(async (tx) => {
    const run = await lockPrintRun(tx, acknowledgement)
    if (!run) return { kind: 'absent' }
    if (!run.claimedAt) return { kind: 'not-claimed' }
    if (run.acknowledgedAt) return repeatAcknowledgement(run, acknowledgement)
    const field = differingField(run, acknowledgement)
    if (field) return { kind: 'mismatch', field }

    const refused = await listLiveDocuments(tx, acknowledgement)
    const unknown = acknowledgement.refusals
      .map(({ documentId }) => documentId)
      .filter((documentId) => !refused.has(documentId))
    if (unknown.length > 0) return { kind: 'unknown-documents', documentIds: unknown }

    await refuseDocuments(tx, acknowledgement, refused)
    return { kind: 'acknowledged', run: await updateAcknowledged(tx, run, acknowledgement) }
  })
}

function repeatAcknowledgement(
  run: LockedPrintRun,
  { requestHash }: Acknowledgement,
): AcknowledgementOutcome {
  if (!run.acknowledgementHash?.equals(requestHash)) return { kind: 'acknowledged-otherwise' }
  const documentCount = run.documentCount ?? 0
  const refusedCount = run.refusedCount ?? 0
  return {
    kind: 'acknowledged',
    run: {
      batchNumber: run.batchNumber,
      state: stateAfterAcknowledgement({ documentCount, refusedCount }),
      acceptedCount: documentCount - refusedCount,
      refusedCount,
      acknowledgedAt: run.acknowledgedAt!,
    },
  }
}

function differingField(run: LockedPrintRun, acknowledgement: Acknowledgement) {
  if (run.manifestDigest?.toString('hex') !== acknowledgement.manifestDigest)
    return 'manifestDigest'
  if (run.documentCount !== acknowledgement.documentCount) return 'documentCount'
  if (run.sheetCount !== acknowledgement.sheetCount) return 'sheetCount'
}

/** Print job keys of the refused documents that are in the run, by document id. */
async function listLiveDocuments(
  tx: Tx,
  { batchNumber, refusals }: Acknowledgement,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ document_id: string; print_job_key: string }>`
    select document_id, print_job_key from print_run_document
    where batch_number = ${batchNumber} and removed_at is null
      and document_id = any (${refusals.map(({ documentId }) => documentId)}::text[])`.execute(tx)
  return new Map(rows.map(({ document_id, print_job_key }) => [document_id, print_job_key]))
}

async function refuseDocuments(
  tx: Tx,
  { batchNumber, providerId, refusals }: Acknowledgement,
  printJobKeys: ReadonlyMap<string, string>,
): Promise<void> {
  if (refusals.length === 0) return
  const moves = refusals.map(({ documentId, comment }) => ({
    key: printJobKeys.get(documentId)!,
    comment,
  }))
  await movePrintJobs(tx, moves, 'reject', { actor: `provider:${providerId}` })
  await sql`
    update print_run_document set outcome = 'REFUSED'
    where batch_number = ${batchNumber} and document_id = any (${[...printJobKeys.keys()]}::text[])`.execute(
    tx,
  )
}

async function updateAcknowledged(
  tx: Tx,
  run: LockedPrintRun,
  { requestHash, documentCount, refusals }: Acknowledgement,
): Promise<AcknowledgedPrintRun> {
  const refusedCount = refusals.length
  const state = stateAfterAcknowledgement({ documentCount, refusedCount })
  const { rows } = await sql<{ acknowledged_at: Date }>`
    update print_run set state = ${state}, acknowledged_at = now(), acknowledgement_hash = ${requestHash},
      refused_count = ${refusedCount}, lease_until = null
    where batch_number = ${run.batchNumber}
    returning acknowledged_at`.execute(tx)
  return {
    batchNumber: run.batchNumber,
    state,
    acceptedCount: documentCount - refusedCount,
    refusedCount,
    acknowledgedAt: rows[0]!.acknowledged_at,
  }
}

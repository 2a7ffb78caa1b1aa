import {
  type AcknowledgedState,
  missingCount,
  stateAfterAcknowledgement,
} from '@despatch/domain/print-run/state'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { movePrintJobs } from '../print-job/print-jobs.ts'
import { lockPrintRun, type OfferedPrintRun, type PrintRunRef } from './lock.ts'
import { readReconciliationCounts, updateStateOfWork } from './reconciliation-counts.ts'

type Acknowledgement = PrintRunRef & {
  requestHash: Buffer
  documentCount: number
  sheetCount: number
  manifestDigest: string
  /** Documents that the provider will not print. The comment is sent to the consumer. */
  refusals: readonly { documentId: string; comment: string }[]
  /** Why the provider prints none of them, for a reason that is not in the documents. No print job moves. */
  refusal?: string | undefined
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
  | { kind: 'moved' }
  | { kind: 'acknowledged-otherwise' }
  | { kind: 'mismatch'; field: 'manifestDigest' | 'documentCount' | 'sheetCount' }
  | { kind: 'unknown-documents'; documentIds: string[] }

/**
 * Records that the provider acknowledges the run, and rejects the print jobs of the documents that it refuses. A run
 * that is refused as a whole waits for an operator. If the digest or the counts differ, or a refused document is not in
 * the run, nothing changes. Safe to repeat. A run that has been moved must not be printed, whatever an earlier call
 * returned.
 */
export async function saveAcknowledgement(
  db: Db,
  acknowledgement: Acknowledgement,
): Promise<AcknowledgementOutcome> {
  return transact(db, async (tx) => {
    const run = await lockPrintRun(tx, acknowledgement)
    if (!run) return { kind: 'absent' }
    if (!run.claimedAt) return { kind: 'not-claimed' }
    if (run.state === 'VOIDED' && run.refusal === null) return { kind: 'moved' }
    if (run.acknowledgedAt) return repeatAcknowledgement(run, acknowledgement)
    const field = differingField(run, acknowledgement)
    if (field) return { kind: 'mismatch', field }

    const refused = await listLiveDocuments(tx, acknowledgement)
    const unknown = acknowledgement.refusals
      .map(({ documentId }) => documentId)
      .filter((documentId) => !refused.has(documentId))
    if (unknown.length > 0) return { kind: 'unknown-documents', documentIds: unknown }

    await refuseDocuments(tx, acknowledgement, refused)
    const acknowledged = await updateAcknowledged(tx, run, acknowledgement)
    await reconcileIfNothingIsLeft(tx, acknowledged)
    return { kind: 'acknowledged', run: acknowledged }
  })
}

function repeatAcknowledgement(
  run: OfferedPrintRun,
  { requestHash }: Acknowledgement,
): AcknowledgementOutcome {
  if (!run.acknowledgementHash?.equals(requestHash)) return { kind: 'acknowledged-otherwise' }
  return { kind: 'acknowledged', run: answerOf(run, run.acknowledgedAt!) }
}

type Answered = Pick<OfferedPrintRun, 'batchNumber' | 'documentCount' | 'refusedCount' | 'refusal'>

function answerOf(run: Answered, acknowledgedAt: Date): AcknowledgedPrintRun {
  const { batchNumber, refusal } = run
  const documentCount = run.documentCount ?? 0
  const refusedCount = run.refusedCount ?? 0
  return {
    batchNumber,
    state: stateOf(run),
    acceptedCount: refusal === null ? documentCount - refusedCount : 0,
    refusedCount,
    acknowledgedAt,
  }
}

function stateOf({ documentCount, refusedCount, refusal }: Answered): AcknowledgedState {
  if (refusal !== null) return 'REFUSED'
  return stateAfterAcknowledgement({
    documentCount: documentCount ?? 0,
    refusedCount: refusedCount ?? 0,
  })
}

function differingField(run: OfferedPrintRun, acknowledgement: Acknowledgement) {
  if (run.manifestDigest?.toString('hex') !== acknowledgement.manifestDigest)
    return 'manifestDigest'
  if (run.documentCount !== acknowledgement.documentCount) return 'documentCount'
  if (run.sheetCount !== acknowledgement.sheetCount) return 'sheetCount'
}

/** Lists the print job keys of the refused documents that are in the run, by document id. */
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
    where batch_number = ${batchNumber} and document_id = any (${[...printJobKeys.keys()]}::text[])
      and outcome is null`.execute(tx)
}

async function updateAcknowledged(
  tx: Tx,
  { batchNumber, documentCount }: OfferedPrintRun,
  { requestHash, refusals, ...acknowledgement }: Acknowledgement,
): Promise<AcknowledgedPrintRun> {
  const refusal = acknowledgement.refusal ?? null
  const answered = { batchNumber, documentCount, refusedCount: refusals.length, refusal }
  const { rows } = await sql<{ acknowledged_at: Date }>`
    update print_run set state = ${stateOf(answered)}, acknowledged_at = now(),
      acknowledgement_hash = ${requestHash}, refused_count = ${answered.refusedCount}, refusal = ${refusal}, lease_until = null
    where batch_number = ${batchNumber}
    returning acknowledged_at`.execute(tx)
  return answerOf(answered, rows[0]!.acknowledged_at)
}

// The documents that were not refused may all have been recalled before; then no further report will arrive.
async function reconcileIfNothingIsLeft(
  tx: Tx,
  { batchNumber, state }: AcknowledgedPrintRun,
): Promise<void> {
  if (state === 'REFUSED') return
  const account = await readReconciliationCounts(tx, batchNumber)
  if (missingCount(account) === 0) await updateStateOfWork(tx, batchNumber)
}

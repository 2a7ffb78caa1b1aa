import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { withdrawFromPostings } from '../posting/withdraw.ts'
import { movePrintJobs } from '../print-job/print-jobs.ts'
import { lockPrintRun } from '../print-run/lock.ts'
import { recallComment } from '../print-run/open-recalls.ts'
import { updateStateOfWork } from '../print-run/reconciliation-counts.ts'
import { refuseWaitingReprints } from '../reprint/decide.ts'
import type { RecallState } from '../schema-fulfilment.ts'
import { spoilSerialNumbers } from '../serial-stock/serial-numbers.ts'
import { findRecall, type RecallRequest } from './read.ts'

export type RecallAnswer = {
  providerId: string
  recallId: string
  /** The operator who answers on behalf of the provider. Absent: the provider itself. */
  actor?: string | undefined
  /** Distinguishes a repeat from a different answer. */
  answerHash: Buffer
  /** Documents that have already left. If all of them have, the recall is rejected. */
  tooLate: readonly string[] | 'all'
  /** Why it is rejected, or an operator's note. */
  reason?: string | undefined
}

export type RecallAnswerOutcome =
  | { kind: 'answered'; recall: RecallRequest; isRepeat: boolean }
  | { kind: 'absent' }
  | { kind: 'answered-otherwise'; state: RecallState }
  | { kind: 'unknown-documents'; documentIds: string[] }

export type RecallSettlement = Pick<RecallAnswer, 'providerId' | 'recallId' | 'tooLate'>

type StoppableCount =
  /** `stoppedCount` of the documents become RECALLED, and the others are too late. */
  | { kind: 'counted'; stoppedCount: number; tooLateCount: number }
  | Extract<RecallAnswerOutcome, { kind: 'absent' | 'unknown-documents' }>
  | { kind: 'already-answered'; state: RecallState; answerHash: Buffer | null }

/** Counts the documents that an answer would stop. The count may change at once, unless the caller locks the run. */
export async function countStoppable(
  db: Db,
  settlement: RecallSettlement,
): Promise<StoppableCount> {
  const recall = await findRecall(db, settlement)
  if (!recall) return { kind: 'absent' }
  const found = await findStoppable(db, recall, settlement)
  if (found.kind !== 'found') return found
  const stoppedCount = found.stoppable.length
  return { kind: 'counted', stoppedCount, tooLateCount: recall.documents.length - stoppedCount }
}

/**
 * Records a provider's answer to a recall. The documents that it could stop become RECALLED: they leave an unconfirmed
 * posting, and their print jobs are rejected. A document that already had an outcome is too late. The same answer again
 * returns the same result.
 */
export async function answerRecall(db: Db, answer: RecallAnswer): Promise<RecallAnswerOutcome> {
  return transact(db, (tx) => writeRecallAnswer(tx, answer))
}

/** As `answerRecall`, in the caller's transaction. */
export async function writeRecallAnswer(
  tx: Tx,
  answer: RecallAnswer,
): Promise<RecallAnswerOutcome> {
  const recall = await findRecall(tx, answer)
  if (!recall) return { kind: 'absent' }
  const { batchNumber, documents } = recall
  await lockPrintRun(tx, { providerId: answer.providerId, batchNumber })
  const found = await findStoppable(tx, recall, answer)
  if (found.kind === 'already-answered') {
    const { state, answerHash } = found
    if (!answerHash?.equals(answer.answerHash)) return { kind: 'answered-otherwise', state }
    return { kind: 'answered', isRepeat: true, recall: (await findRecall(tx, answer))! }
  }
  if (found.kind !== 'found') return found
  const stopped = await stopDocuments(tx, recall, found.stoppable, answer)
  await updateAnswered(tx, answer, { stopped, state: stateAfter(stopped.length, documents.length) })
  await updateStateOfWork(tx, batchNumber)
  return { kind: 'answered', isRepeat: false, recall: (await findRecall(tx, answer))! }
}

async function findStoppable(
  db: Db,
  { recallId, batchNumber, documents }: RecallRequest,
  { tooLate }: RecallSettlement,
) {
  const { state, answer_hash: answerHash } = await readAnswer(db, recallId)
  if (state !== 'OPEN') return { kind: 'already-answered', state, answerHash } as const
  const ids = documents.map(({ documentId }) => documentId)
  const left = new Set(tooLate === 'all' ? ids : tooLate)
  const known = new Set(ids)
  const unknown = [...left].filter((id) => !known.has(id))
  if (unknown.length > 0) return { kind: 'unknown-documents', documentIds: unknown } as const
  const others = ids.filter((id) => !left.has(id))
  const stoppable = await listWithoutOutcome(db, batchNumber, others)
  return { kind: 'found', stoppable } as const
}

function stateAfter(stoppedCount: number, requestedCount: number): RecallState {
  if (stoppedCount === 0) return 'REJECTED'
  return stoppedCount < requestedCount ? 'PARTLY_ACCEPTED' : 'ACCEPTED'
}

function readAnswer(db: Db, recallId: string) {
  return db
    .selectFrom('recall_request')
    .select(['state', 'answer_hash'])
    .where('id', '=', recallId)
    .executeTakeFirstOrThrow()
}

/** Returns the ids of the documents that are now stopped. */
async function stopDocuments(
  tx: Tx,
  { batchNumber, reason }: RecallRequest,
  stoppable: readonly StoppableDocument[],
  { providerId, actor = `provider:${providerId}` }: RecallAnswer,
): Promise<string[]> {
  const documentIds = stoppable.map(({ documentId }) => documentId)
  const comment = recallComment(reason)
  await movePrintJobs(
    tx,
    stoppable.map(({ key }) => ({ key, comment })),
    'reject',
    { actor },
  )
  await withdrawFromPostings(tx, { batchNumber, documentIds })
  await sql`
    update print_run_document set outcome = 'RECALLED'
    where batch_number = ${batchNumber} and document_id = any (${documentIds}::text[])`.execute(tx)
  await refuseWaitingReprints(tx, { batchNumber, documentIds, actor, reason: 'recalled' })
  await spoilSerialNumbers(
    tx,
    stoppable.map(({ documentId, attempt }) => ({ batchNumber, documentId, attempt })),
  )
  return documentIds
}

type StoppableDocument = { documentId: string; key: string; attempt: number }

async function listWithoutOutcome(db: Db, batchNumber: string, documentIds: readonly string[]) {
  const { rows } = await sql<StoppableDocument>`
    select document_id as "documentId", print_job_key as key, attempt from print_run_document
    where batch_number = ${batchNumber} and document_id = any (${documentIds}::text[])
      and removed_at is null and voided_at is null and outcome is null
    order by print_job_key`.execute(db)
  return rows
}

async function updateAnswered(
  tx: Tx,
  { recallId, answerHash, reason }: RecallAnswer,
  { stopped, state }: { stopped: readonly string[]; state: RecallState },
): Promise<void> {
  await sql`
    update recall_document
    set state = case when document_id = any (${stopped}::text[]) then 'RECALLED' else 'TOO_LATE' end
    where recall_id = ${recallId}`.execute(tx)
  await sql`
    update recall_request
    set state = ${state}, answered_at = now(), answer_hash = ${answerHash}, answer_reason = ${reason ?? null}
    where id = ${recallId}`.execute(tx)
}

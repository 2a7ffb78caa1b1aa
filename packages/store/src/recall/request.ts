import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { movePrintJobs } from '../print-job/print-jobs.ts'
import {
  findPrintRunWithProvider,
  isRefusedAsWhole,
  lockPrintRunWithProvider,
  type PrintRunWithProvider,
} from '../print-run/details.ts'
import { lockPrintJobs } from '../print-run/lock.ts'
import { endOpenRecalls, recallComment } from '../print-run/open-recalls.ts'

type RecallChoice = {
  batchNumber: string
  /** Absent: all unaccounted documents. */
  documentIds?: readonly string[] | undefined
}

export type NewRecall = RecallChoice & {
  /** Shown to the provider and, with a rejected print job, to the consumer. No personal information. */
  reason: string
  actor: string
  /** Recalls nothing if there are more documents. */
  expectedCount?: number | undefined
}

export type RecallOutcome =
  /** The provider is asked which of them it can still stop. */
  | { kind: 'asked'; recallId: string; documentCount: number }
  /** The run was unclaimed, or its provider had refused it as a whole: the print jobs are rejected at once. */
  | { kind: 'recalled'; documentCount: number }
  /** More than the expected count. Nothing is recalled. */
  | { kind: 'too-many'; documentCount: number }
  | Unrecallable

type RecallCount = { kind: 'counted'; documentCount: number } | Unrecallable

type Unrecallable =
  | { kind: 'absent' }
  | { kind: 'unknown-documents'; documentIds: string[] }
  /** Every document is accounted for or already recalled. */
  | { kind: 'nothing-left' }

type Recallable = { documentId: string; key: string }

/**
 * Counts the documents that a recall would include, with those of the open recalls that would end with it. Locks
 * nothing, so the count may change at once.
 */
export async function countRecallable(db: Db, choice: RecallChoice): Promise<RecallCount> {
  const run = await findPrintRunWithProvider(db, choice.batchNumber)
  if (!run) return { kind: 'absent' }
  const found = await findRecallable(db, run, choice)
  return found.kind === 'found' ? { kind: 'counted', documentCount: found.documentCount } : found
}

/** Recalls documents of a run for an operator, whether the run is claimed or not. */
export async function recallDocuments(tx: Tx, asked: NewRecall): Promise<RecallOutcome> {
  const run = await lockPrintRunWithProvider(tx, asked.batchNumber)
  if (!run) return { kind: 'absent' }
  const found = await findRecallable(tx, run, asked)
  if (found.kind !== 'found') return found
  const { documents, documentCount: foundCount } = found
  if (asked.expectedCount !== undefined && foundCount > asked.expectedCount) {
    return { kind: 'too-many', documentCount: foundCount }
  }
  if (isRefusedAsWhole(run)) return recallRefused(tx, asked)
  if (run.claimedAt) return insertRecall(tx, run.providerId, documents, asked)
  const documentCount = await recallAtOnce(tx, documents, asked)
  return documentCount === 0 ? { kind: 'nothing-left' } : { kind: 'recalled', documentCount }
}

async function findRecallable(db: Db, run: PrintRunWithProvider, choice: RecallChoice) {
  const { batchNumber } = choice
  const unknown = await findUnknown(db, choice)
  if (unknown.length > 0) return { kind: 'unknown-documents', documentIds: unknown } as const
  const isRefused = isRefusedAsWhole(run)
  const documents = await listRecallable(db, choice, { inOpenRecalls: isRefused })
  if (documents.length === 0) return { kind: 'nothing-left' } as const
  if (!isRefused) return { kind: 'found', documents, documentCount: documents.length } as const
  // the recalls that were open before the refusal end with this one, whichever documents it names
  const all = await listRecallable(db, { batchNumber }, { inOpenRecalls: true })
  const free = await listRecallable(db, { batchNumber }, { inOpenRecalls: false })
  const others = await listRecallable(db, choice, { inOpenRecalls: false })
  const documentCount = all.length - free.length + others.length
  return { kind: 'found', documents, documentCount } as const
}

/**
 * Recalls documents of a refused run without asking the provider. Documents of recalls that were open before the
 * refusal are recalled too.
 */
async function recallRefused(tx: Tx, asked: NewRecall): Promise<RecallOutcome> {
  const { batchNumber, reason, actor } = asked
  await lockPrintJobs(tx, batchNumber)
  const answerReason = 'The provider refused the print run'
  const ended = await endOpenRecalls(tx, asked, { actor, answerReason })
  const others = await listRecallable(tx, asked, { inOpenRecalls: false })
  const moves = others.map(({ key }) => ({ key, comment: recallComment(reason) }))
  await movePrintJobs(tx, moves, 'reject', { actor })
  await sql`
    update print_run_document set outcome = 'RECALLED'
    where batch_number = ${batchNumber} and outcome is null
      and document_id = any (${others.map(({ documentId }) => documentId)}::text[])`.execute(tx)
  const documentCount = ended.length + others.length
  return documentCount === 0 ? { kind: 'nothing-left' } : { kind: 'recalled', documentCount }
}

async function findUnknown(
  db: Db,
  { batchNumber, documentIds = [] }: RecallChoice,
): Promise<string[]> {
  if (documentIds.length === 0) return []
  const { rows } = await sql<{ document_id: string }>`
    select document_id from print_run_document
    where batch_number = ${batchNumber} and document_id = any (${documentIds}::text[])`.execute(db)
  const known = new Set(rows.map(({ document_id }) => document_id))
  return documentIds.filter((documentId) => !known.has(documentId))
}

async function listRecallable(
  db: Db,
  { batchNumber, documentIds }: RecallChoice,
  { inOpenRecalls }: { inOpenRecalls: boolean },
): Promise<Recallable[]> {
  const { rows } = await sql<Recallable>`
    select document_id as "documentId", print_job_key as key from print_run_document document
    where batch_number = ${batchNumber} and removed_at is null and voided_at is null and outcome is null
      ${documentIds === undefined ? sql`` : sql`and document_id = any (${documentIds}::text[])`}
      and (${inOpenRecalls} or not exists (
        select from recall_document join recall_request on recall_request.id = recall_document.recall_id
        where recall_request.batch_number = document.batch_number and recall_request.state = 'OPEN'
          and recall_document.document_id = document.document_id))
    order by print_job_key`.execute(db)
  return rows
}

async function insertRecall(
  tx: Tx,
  providerId: string,
  documents: readonly Recallable[],
  { batchNumber, reason, actor }: NewRecall,
): Promise<RecallOutcome> {
  const recallId = randomUUID()
  await sql`
    with request as (
      insert into recall_request (id, batch_number, provider_id, reason, requested_by)
      values (${recallId}, ${batchNumber}, ${providerId}, ${reason}, ${actor})
      returning id
    )
    insert into recall_document (recall_id, document_id)
    select id, document_id
    from request, unnest(${documents.map(({ documentId }) => documentId)}::text[]) as row (document_id)`.execute(
    tx,
  )
  return { kind: 'asked', recallId, documentCount: documents.length }
}

/** A print job that its consumer is deleting at this moment has already left the run. */
async function recallAtOnce(
  tx: Tx,
  documents: readonly Recallable[],
  { batchNumber, reason, actor }: NewRecall,
): Promise<number> {
  const moves = documents.map(({ key }) => ({ key, comment: recallComment(reason) }))
  const rejected = await movePrintJobs(tx, moves, 'reject', { actor })
  await sql`
    update print_run_document set removed_at = now()
    where batch_number = ${batchNumber} and print_job_key = any (${rejected}::uuid[]) and removed_at is null`.execute(
    tx,
  )
  await sql`
    update print_run run set state = 'CLOSED', closed_at = now(), closed_by = ${actor}
    where batch_number = ${batchNumber} and state = 'RELEASED' and not exists (
      select from print_run_document document
      where document.batch_number = run.batch_number and document.removed_at is null)`.execute(tx)
  return rejected.length
}

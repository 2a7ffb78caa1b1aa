import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../database.ts'
import { movePrintJobs } from '../print-job/print-jobs.ts'

/** Lists the unanswered recalls of a run, oldest first. */
export async function listOpenRecalls(db: Db, batchNumber: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from recall_request where batch_number = ${batchNumber} and state = 'OPEN'
    order by requested_at, id`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Ends the unanswered recalls of a run of which nothing was or will be printed. Their documents become RECALLED.
 * Returns the ids of those documents. The caller has locked the run and the print jobs.
 */
export async function endOpenRecalls(
  tx: Tx,
  { batchNumber }: { batchNumber: string },
  { actor, answerReason }: { actor: string; answerReason: string },
): Promise<string[]> {
  const { rows } = await sql<{ documentId: string; key: string; reason: string }>`
    with ended as (
      update recall_request set state = 'ACCEPTED', answered_at = now(), answer_reason = ${answerReason}
      where batch_number = ${batchNumber} and state = 'OPEN'
      returning id, reason
    ), recalled as (
      update recall_document set state = 'RECALLED' from ended where recall_id = ended.id
      returning document_id, ended.reason
    )
    update print_run_document document set outcome = 'RECALLED'
    from recalled
    where document.batch_number = ${batchNumber} and document.document_id = recalled.document_id
      and document.outcome is null
    returning document.document_id as "documentId", document.print_job_key as key, recalled.reason`.execute(
    tx,
  )
  const moves = rows.map(({ key, reason }) => ({ key, comment: recallComment(reason) }))
  await movePrintJobs(tx, moves, 'reject', { actor })
  return rows.map(({ documentId }) => documentId)
}

/** Returns the comment that the consumer sees on a recalled print job. */
export function recallComment(reason: string): string {
  return `Recalled: ${reason}`
}

/**
 * Returns SQL for the recalled documents of a run. `open_recall_id` is the recall that waits for an answer.
 * `is_too_late` means that the document had left when another recall was answered.
 */
export function recallStatuses(batchNumber: string): RawBuilder<unknown> {
  return sql`(
    select document_id, min(request.id::text) filter (where request.state = 'OPEN') as open_recall_id,
      bool_or(asked.state = 'TOO_LATE') as is_too_late
    from recall_request request join recall_document asked on asked.recall_id = request.id
    where request.batch_number = ${batchNumber}
    group by document_id)`
}

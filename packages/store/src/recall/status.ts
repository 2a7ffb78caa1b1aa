import { type RawBuilder, sql } from 'kysely'

/**
 * A relation of the recalled documents of a run. `open_recall_id` is the recall that waits for an answer. `is_too_late`
 * means that the document had left when another recall was answered.
 */
export function recallStatuses(batchNumber: string): RawBuilder<unknown> {
  return sql`(
    select document_id, min(request.id::text) filter (where request.state = 'OPEN') as open_recall_id,
      bool_or(asked.state = 'TOO_LATE') as is_too_late
    from recall_request request join recall_document asked on asked.recall_id = request.id
    where request.batch_number = ${batchNumber}
    group by document_id)`
}

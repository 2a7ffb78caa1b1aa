import { hash } from 'node:crypto'
import type { StoredRecall } from '@despatch/contracts/administration/recall'
import type { Db } from '@despatch/store/database'
import type { RecallState } from '@despatch/store/schema-fulfilment'
import { type RawBuilder, sql } from 'kysely'

type RecallPage = {
  state?: RecallState | undefined
  batchNumber?: string | undefined
  /** The id of the last recall of the previous page. */
  before?: string | undefined
  recallsMax: number
}

/** Lists the recalls of all providers, newest first. */
export async function listRecallPage(
  db: Db,
  { state, batchNumber, before, recallsMax }: RecallPage,
): Promise<StoredRecall[]> {
  return selectRecalls(
    db,
    sql`
      where true
        ${state === undefined ? sql`` : sql`and state = ${state}`}
        ${batchNumber === undefined ? sql`` : sql`and batch_number = ${batchNumber}`}
        ${before === undefined ? sql`` : isBefore(before)}
      order by requested_at desc, id desc
      limit ${recallsMax}`,
  )
}

/** Finds a recall of any provider. */
export async function findListedRecall(
  db: Db,
  recallId: string,
): Promise<StoredRecall | undefined> {
  const [recall] = await selectRecalls(db, sql`where id = ${recallId}::uuid`)
  return recall
}

async function selectRecalls(db: Db, page: RawBuilder<unknown>): Promise<StoredRecall[]> {
  const { rows } = await sql<StoredRecall>`
    select recall.id as "recallId", recall.batch_number as "batchNumber", recall.provider_id as "providerId", recall.state, recall.reason,
      told."documentCount", told."recalledCount", told."tooLateCount", open."stoppableCount", recall.requested_at as "requestedAt",
      recall.requested_by as "requestedBy", recall.answered_at as "answeredAt", recall.answer_reason as "answerReason"
    from (select * from recall_request ${page}) recall
    cross join lateral (
      select count(*)::integer as "documentCount",
        count(*) filter (where state = 'RECALLED')::integer as "recalledCount",
        count(*) filter (where state = 'TOO_LATE')::integer as "tooLateCount"
      from recall_document where recall_id = recall.id
    ) told
    cross join lateral (
      select count(*)::integer as "stoppableCount"
      from recall_document asked join print_run_document document
        on document.batch_number = recall.batch_number and document.document_id = asked.document_id
      where asked.recall_id = recall.id and recall.state = 'OPEN'
        and document.removed_at is null and document.voided_at is null and document.outcome is null
    ) open
    order by recall.requested_at desc, recall.id desc`.execute(db)
  return rows
}

function isBefore(id: string) {
  return sql`and (requested_at, id) < (select requested_at, id from recall_request where id = ${id}::uuid)`
}

type Content = { tooLate: readonly string[]; note: string | null }

/** Returns a hash that distinguishes a repeat from another settlement, and from every answer of the provider. */
export function hashSettlement({ tooLate, note }: Content): Buffer {
  const content = JSON.stringify(['operator', [...new Set(tooLate)].toSorted(), note])
  return hash('sha256', content, 'buffer')
}

import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { RecallState } from '../schema-fulfilment.ts'

/** A recall, as its provider sees it. */
export type RecallRequest = {
  recallId: string
  batchNumber: string
  state: RecallState
  reason: string
  /** Ordered by id. */
  documents: RecalledDocument[]
  requestedAt: Date
  answeredAt: Date | null
}

type RecalledDocument = { documentId: string; state: 'ASKED' | 'RECALLED' | 'TOO_LATE' }

type RecallFilter = {
  providerId: string
  state?: RecallState | undefined
  /** The id of the last recall of the previous page. */
  after?: string | undefined
  recallsMax: number
}

/** Lists a provider's recalls, oldest first. */
export async function listRecalls(
  db: Db,
  { providerId, state, after, recallsMax }: RecallFilter,
): Promise<RecallRequest[]> {
  return readRecalls(
    db,
    sql`provider_id = ${providerId}
      and (${state ?? null}::text is null or state = ${state ?? null})
      and (${after ?? null}::uuid is null or (requested_at, id) > (
        select requested_at, id from recall_request where id = ${after ?? null}::uuid))`,
    recallsMax,
  )
}

/** Finds a recall of the provider. Returns undefined if it has no such recall. */
export async function findRecall(
  db: Db,
  { providerId, recallId }: { providerId: string; recallId: string },
): Promise<RecallRequest | undefined> {
  const [found] = await readRecalls(
    db,
    sql`provider_id = ${providerId} and id = ${recallId}::uuid`,
    1,
  )
  return found
}

async function readRecalls(
  db: Db,
  condition: ReturnType<typeof sql>,
  recallsMax: number,
): Promise<RecallRequest[]> {
  const { rows } = await sql<RecallRequest>`
    select recall.id as "recallId", recall.batch_number as "batchNumber", recall.state, recall.reason,
      recall.requested_at as "requestedAt", recall.answered_at as "answeredAt", (
        select coalesce(json_agg(json_build_object('documentId', document_id, 'state', state) order by document_id), '[]')
        from recall_document where recall_id = recall.id
      ) as documents
    from (
      select * from recall_request where ${condition} order by requested_at, id limit ${recallsMax}
    ) recall
    order by recall.requested_at, recall.id`.execute(db)
  return rows
}

import type { ListedReprint } from '@despatch/contracts/administration/reprint'
import type { Db } from '@despatch/store/database'
import type { ReprintState } from '@despatch/store/schema-fulfilment'
import { sql } from 'kysely'

type ReprintPage = {
  state?: ReprintState | undefined
  /** The id of the last reprint of the previous page. */
  after?: string | undefined
  reprintsMax: number
}

/** Lists the reprints of all print runs, in the order in which they were requested. */
export async function listReprintPage(
  db: Db,
  { state, after = '0', reprintsMax }: ReprintPage,
): Promise<ListedReprint[]> {
  const { rows } = await sql<ListedReprint>`
    ${selectReprints}
    where reprint.id > ${after}::bigint ${state === undefined ? sql`` : sql`and reprint.state = ${state}`}
    order by reprint.id
    limit ${reprintsMax}`.execute(db)
  return rows
}

export async function findReprint(db: Db, id: string): Promise<ListedReprint | undefined> {
  const { rows } = await sql<ListedReprint>`
    ${selectReprints} where reprint.id = ${id}::bigint`.execute(db)
  return rows[0]
}

const selectReprints = sql`
  select reprint.id::text as "reprintId", reprint.batch_number as "batchNumber", reprint.document_id as "documentId",
    run.provider_id as "providerId", reprint.attempt, reprint.state, reprint.reason_code as "reasonCode",
    reprint.reason, reprint.requested_at as "requestedAt", consumer.user_name as "requestedBy",
    reprint.decided_at as "decidedAt", reprint.decided_by as "decidedBy",
    reprint.decision_reason as "decisionReason"
  from reprint
  join print_run run on run.batch_number = reprint.batch_number
  join consumer on consumer.id = reprint.requested_by`

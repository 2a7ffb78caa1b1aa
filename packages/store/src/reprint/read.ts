import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { PrintRunRef } from '../print-run/lock.ts'
import type { ReprintState } from '../schema-fulfilment.ts'

/** A reprint, as its provider may read it. */
export type Reprint = {
  reprintId: number
  documentId: string
  fulfilmentJobId: string
  attempt: number
  state: ReprintState
  reasonCode: string
  sheets: number
  pages: number
  sha256: string
  requestedAt: Date
  decidedAt: Date | null
}

/**
 * Lists the reprints of a provider's run in the order in which they were requested. Returns undefined if no such run
 * was offered to the provider.
 */
export async function listRunReprints(
  db: Db,
  {
    providerId,
    batchNumber,
    state,
    after = 0,
    reprintsMax,
  }: PrintRunRef & {
    state?: ReprintState | undefined
    /** The last reprint of the previous page. */
    after?: number | undefined
    reprintsMax: number
  },
): Promise<Reprint[] | undefined> {
  const run = await sql`
    select from print_run
    where batch_number = ${batchNumber} and provider_id = ${providerId} and state <> 'OPEN'`.execute(
    db,
  )
  if (run.rows.length === 0) return
  return readReprints(
    db,
    sql`reprint.batch_number = ${batchNumber} and reprint.id > ${after}
      and (${state ?? null}::text is null or reprint.state = ${state ?? null})
      order by reprint.id limit ${reprintsMax}`,
  )
}

/** Gets reprints in the order of the given ids, which must exist. */
export async function getReprints(db: Db, reprintIds: readonly number[]): Promise<Reprint[]> {
  return readReprints(
    db,
    sql`reprint.id = any (${reprintIds}::bigint[])
      order by array_position(${reprintIds}::bigint[], reprint.id)`,
  )
}

async function readReprints(db: Db, selection: ReturnType<typeof sql>): Promise<Reprint[]> {
  const { rows } = await sql<Reprint>`
    select reprint.id as "reprintId", reprint.document_id as "documentId",
      document.fulfilment_job_id as "fulfilmentJobId", reprint.attempt, reprint.state,
      reprint.reason_code as "reasonCode", document.sheets, document.pages,
      encode(document.sha256, 'hex') as sha256, reprint.requested_at as "requestedAt",
      reprint.decided_at as "decidedAt"
    from reprint
    join print_run_document document on document.batch_number = reprint.batch_number
      and document.document_id = reprint.document_id
    where ${selection}`.execute(db)
  return rows
}

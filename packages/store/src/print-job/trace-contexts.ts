import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A print job whose request was traced. */
type TracedPrintJob = { key: string; traceContext: string }

/** Selects print jobs by key, by print run or by the posting that covers them. */
export type TracedBy =
  | { keys: readonly string[] }
  | { batchNumbers: readonly string[] }
  | { postingId: string }

/** Finds the traced print jobs among the first `printJobsMax`, so that the cost does not grow with their number. */
export async function listTraceContexts(
  db: Db,
  by: TracedBy,
  printJobsMax: number,
): Promise<TracedPrintJob[]> {
  const { rows } = await sql<TracedPrintJob>`
    select job.key, job.trace_context as "traceContext"
    from (${keysOf(by)} limit ${printJobsMax}) letter (key)
    join print_job job on job.key = letter.key
    where job.trace_context is not null`.execute(db)
  return rows
}

function keysOf(by: TracedBy) {
  if ('keys' in by) return sql`select unnest(${by.keys}::uuid[])`
  const holds =
    'postingId' in by
      ? sql`posting_id = ${by.postingId}`
      : sql`batch_number = any (${by.batchNumbers}::text[])`
  return sql`select print_job_key from print_run_document where ${holds} and removed_at is null`
}

import { type ReconciliationCounts, stateOfWork } from '@despatch/domain/print-run/state'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'

/** Reads the current reconciliation of a claimed run's documents. */
export async function readReconciliationCounts(
  db: Db,
  batchNumber: string,
): Promise<ReconciliationCounts> {
  const { rows } = await sql<ReconciliationCounts>`
    select count(*)::integer as expected,
      count(*) filter (where outcome = 'DESPATCHED')::integer as despatched,
      count(*) filter (where outcome = 'REFUSED')::integer as refused,
      count(*) filter (where outcome = 'FAILED')::integer as failed,
      count(*) filter (where outcome = 'RECALLED')::integer as recalled,
      count(*) filter (where outcome is null and posting_id is not null)::integer as posted
    from print_run_document
    where batch_number = ${batchNumber} and removed_at is null and sequence is not null`.execute(db)
  return rows[0]!
}

/**
 * Writes the state that follows from the documents of an acknowledged run. The caller has locked the run. A run that is
 * closed, voided, or refused with documents unaccounted for keeps its state.
 */
export async function updateStateOfWork(tx: Tx, batchNumber: string): Promise<void> {
  const state = stateOfWork(await readReconciliationCounts(tx, batchNumber))
  await sql`
    update print_run set state = ${state},
      posted_at = case when ${state} <> 'IN_PRODUCTION' then coalesce(posted_at, now()) end
    where batch_number = ${batchNumber}
      and state in ('ACCEPTED', 'ACCEPTED_WITH_EXCEPTIONS', 'IN_PRODUCTION', 'POSTED', 'RECONCILED')`.execute(
    tx,
  )
}

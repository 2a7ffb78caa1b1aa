import { sql } from 'kysely'
import type { Tx } from '../database.ts'

/**
 * Waits for the print jobs of a bulk action that are in progress, and prevents the start of others until the
 * transaction ends. Without it, a caller that stops a bulk action would reach each print job just after another process
 * started it.
 */
export async function lockBulkActionItems(tx: Tx, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockOf(sql`${id}::text`)})`.execute(tx)
}

/**
 * For a row of bulk_action: false once another session waits in `lockBulkActionItems`. Otherwise that session waits for
 * the caller.
 */
export const mayBegin = sql<boolean>`pg_try_advisory_xact_lock_shared(${lockOf(sql`id::text`)})`

function lockOf(id: ReturnType<typeof sql>) {
  return sql`hashtextextended('bulk-action ' || ${id}, 0)`
}

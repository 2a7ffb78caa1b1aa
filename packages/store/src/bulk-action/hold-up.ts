import { sql } from 'kysely'
import type { Tx } from '../database.ts'

/**
 * Waits for the print jobs of a bulk action that somebody is in the middle of, and lets nobody begin another until the
 * transaction ends. Without it, whoever stops one would come to each print job just after somebody had begun it.
 */
export async function holdUpBulkAction(tx: Tx, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockOf(sql`${id}::text`)})`.execute(tx)
}

/** Of a row of bulk_action: false from the moment on at which somebody asks to hold it up. Else holding up waits for the caller. */
export const mayBegin = sql<boolean>`pg_try_advisory_xact_lock_shared(${lockOf(sql`id::text`)})`

function lockOf(id: ReturnType<typeof sql>) {
  return sql`hashtextextended('bulk-action ' || ${id}, 0)`
}

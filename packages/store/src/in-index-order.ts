import { sql } from 'kysely'
import type { Db, Tx } from './database.ts'

/**
 * Runs statements that take the first rows of an index in its order. PostgreSQL plans by statistics that may be hours
 * old. If these know of no such rows, it takes sorting all rows for as cheap as reading the first one, and would sort
 * them again for each group.
 */
export function inIndexOrder<Result>(db: Db, read: (tx: Tx) => Promise<Result>): Promise<Result> {
  return db.isTransaction
    ? readInOrder(db as Tx, read)
    : db
        .transaction()
        .setAccessMode('read only')
        .execute((tx) => readInOrder(tx, read))
}

async function readInOrder<Result>(tx: Tx, read: (tx: Tx) => Promise<Result>): Promise<Result> {
  // a sort that cannot be avoided then looks so expensive that PostgreSQL would compile the statement
  await sql`set local enable_sort = off; set local jit = off`.execute(tx)
  const result = await read(tx)
  await sql`reset enable_sort; reset jit`.execute(tx)
  return result
}

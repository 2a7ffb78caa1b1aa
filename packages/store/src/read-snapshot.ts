import { sql } from 'kysely'
import type { Db, Tx } from './database.ts'

/** Tables that are divided by month. `drop_letter_partitions` drops months and moves the rows that are left. */
type TableByMonth = 'print_job_event' | 'search_term'

/**
 * Runs reads in one snapshot. Waits first until the named tables have all their months. A statement that takes its
 * snapshot before it waits would find rows that move meanwhile in neither place. `lock table` takes no snapshot.
 */
export function readSnapshot<Result>(
  db: Db,
  tables: readonly TableByMonth[],
  read: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      for (const table of tables) {
        await sql`lock table only ${sql.table(table)} in access share mode`.execute(tx)
      }
      return read(tx)
    })
}

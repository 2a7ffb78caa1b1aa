import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Asks the database whether a condition holds, such as that a periodic task has work. */
export async function isTrue<Tables>(
  db: Kysely<Tables>,
  condition: RawBuilder<boolean>,
): Promise<boolean> {
  const { rows } = await sql<{ holds: boolean }>`select ${condition} as holds`.execute(db)
  return rows[0]!.holds
}

import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** The numbers of print runs and of documents. */
export type GivenNumbers = { printRun: number; document: number }

const sequences = { printRun: 'print_run_number', document: 'document_number' } as const

/** The numbers that would be given out next. */
export async function readNextNumbers(db: Db): Promise<GivenNumbers> {
  const { rows } = await sql<GivenNumbers>`
    select
      (select last_value + is_called::integer from print_run_number) as "printRun",
      (select last_value + is_called::integer from document_number) as document`.execute(db)
  return rows[0]!
}

/** Has numbers begin at these or later. A sequence that is further already stays where it is. */
export async function advanceNumbers(db: Db, next: GivenNumbers): Promise<void> {
  const current = await readNextNumbers(db)
  for (const which of ['printRun', 'document'] as const) {
    if (current[which] >= next[which]) continue
    await sql`select setval(${sequences[which]}, ${next[which]}, false)`.execute(db)
  }
}

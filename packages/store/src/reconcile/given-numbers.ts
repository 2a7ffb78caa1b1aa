import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** Numbers of print runs and of documents. */
export type GivenNumbers = { printRun: number; document: number }

const sequences = { printRun: 'print_run_number', document: 'document_number' } as const

/** Returns the next numbers that the sequences would return. */
export async function readNextNumbers(db: Db): Promise<GivenNumbers> {
  const { rows } = await sql<GivenNumbers>`
    select
      (select last_value + is_called::integer from print_run_number) as "printRun",
      (select last_value + is_called::integer from document_number) as document`.execute(db)
  return rows[0]!
}

/** Advances the sequences to these numbers. A sequence that is already further stays as it is. */
export async function advanceNumbers(db: Db, next: GivenNumbers): Promise<void> {
  const current = await readNextNumbers(db)
  for (const which of ['printRun', 'document'] as const) {
    if (current[which] >= next[which]) continue
    await sql`select setval(${sequences[which]}, ${next[which]}, false)`.execute(db)
  }
}

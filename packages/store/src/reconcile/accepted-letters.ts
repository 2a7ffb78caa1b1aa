import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A print job that a consumer knows as accepted. */
export type AcceptedLetter = { consumer: string; printJobId: string }

/** Returns, in order, whether each letter is in the database. Deleted and purged ones are: their rows stay. */
export async function areAccepted(db: Db, letters: readonly AcceptedLetter[]): Promise<boolean[]> {
  const rows = letters.map((letter, place) => ({ place, ...letter }))
  const found = await sql<{ isThere: boolean }>`
    select exists (
      select from print_job job join consumer on consumer.id = job.consumer_id
      where consumer.user_name = accepted.consumer and job.id = accepted."printJobId") as "isThere"
    from json_to_recordset(${JSON.stringify(rows)}::json) as accepted (place integer, consumer text, "printJobId" text)
    order by place`.execute(db)
  return found.rows.map(({ isThere }) => isThere)
}

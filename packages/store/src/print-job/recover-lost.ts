import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { laneOfJob } from './steps.ts'

/**
 * SQL: the print job `job` is to be checked and nothing will continue it: no operator is to redrive it, it does not wait,
 * and it is in no batch.
 */
export const isLost = sql.raw(`(
  job.deleted_at is null and job.status in ('QUARANTINE', 'VALIDATING') and job.parked_at is null
  and not exists (select from letter_waiting where subject = job.key)
  and not exists (select from letter_later where subject = job.key)
  and not exists (select from (select unnest(subjects) as key from letter_batch) batch where key = job.key)
)`)

/**
 * Gives a place in the waiting work to letters that have none: a defect or a restored backup lost it. Returns how many.
 * Reads all letters in the checking statuses, so it runs rarely. A letter that gets a second place is processed once,
 * because its version decides.
 */
export async function recoverLostWork(
  db: Db,
  { lettersMax, untouchedSeconds }: { lettersMax: number; untouchedSeconds: number },
): Promise<number> {
  const { rows } = await sql`
    insert into letter_waiting (lane, consumer_id, subject, version)
    select ${laneOfJob}, consumer_id, key, step_epoch from print_job job
    where ${isLost} and updated_at < now() - ${untouchedSeconds}::integer * interval '1 second'
    limit ${lettersMax}
    returning seq`.execute(db)
  return rows.length
}

import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { laneOfJob } from '../print-job/steps.ts'

/**
 * SQL: the print job `job` is to be checked and nothing will continue it: no operator is to redrive it, it does not wait,
 * and it is in no batch.
 */
export const isLost = sql.raw(`(
  job.deleted_at is null and job.status in ('QUARANTINE', 'VALIDATING') and job.parked_at is null
  and not exists (select from work_waiting where print_job_key = job.key)
  and not exists (select from work_later where print_job_key = job.key)
  and not exists (select from (select unnest(print_job_keys) as key from work_batch) batch where key = job.key)
)`)

/**
 * Gives a place in the waiting work to letters that have none: a defect or a restored backup lost it. Returns how many.
 * Reads all letters in the checking statuses, so it runs rarely. A letter that gets a second place is processed once,
 * because its status decides.
 */
export async function recoverLostWork(
  db: Db,
  { lettersMax, untouchedSeconds }: { lettersMax: number; untouchedSeconds: number },
): Promise<number> {
  const { rows } = await sql`
    insert into work_waiting (lane, consumer_id, print_job_key)
    select ${laneOfJob}, consumer_id, key from print_job job
    where ${isLost} and updated_at < now() - ${untouchedSeconds}::integer * interval '1 second'
    limit ${lettersMax}
    returning seq`.execute(db)
  return rows.length
}

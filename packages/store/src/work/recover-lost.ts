import { sql } from 'kysely'
import type { Db } from '../database.ts'

/**
 * Gives a place in the work that waits to letters that have none: a defect or a restored backup lost it, or the
 * previous release left them to a queue. Returns how many. Reads all letters in the checking statuses, so it runs
 * rarely. A letter that gets a second place is processed once, because its status decides.
 */
export async function recoverLostWork(
  db: Db,
  { lettersMax, untouchedSeconds }: { lettersMax: number; untouchedSeconds: number },
): Promise<number> {
  const { rows } = await sql`
    insert into work_waiting (lane, consumer_id, print_job_key)
    select case when exists (select from print_job_file where print_job_key = job.key) then 'files' else 'plain' end,
      consumer_id, key
    from print_job job
    where deleted_at is null and parked_at is null and status in ('QUARANTINE', 'VALIDATING')
      and next_check_at is null and updated_at < now() - ${untouchedSeconds}::integer * interval '1 second'
      and key not in (select print_job_key from work_waiting)
      and key not in (select print_job_key from work_later)
      and key not in (select unnest(print_job_keys) from work_batch)
    limit ${lettersMax}
    returning seq`.execute(db)
  return rows.length
}

import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { laneOfJob } from '../print-job/steps.ts'

/**
 * Moves the letters of wake-ups that the previous release wrote, which runs beside this one during an upgrade. Wake-ups
 * for later become due at once: the step then decides how much longer it waits.
 */
export async function takeOldWakeUps(tx: Tx, wakeUpsMax: number): Promise<void> {
  await sql`
    with gone as (
      delete from outbox where id in (
        select id from outbox where queue in ('quarantine', 'validate') limit ${wakeUpsMax} for update skip locked
      ) returning subject
    ), watched as (
      select key from print_job where key in (select subject from gone) and lease_until is null for update skip locked
    ), unwatched as (
      -- otherwise the sweep finds them overdue and gives them a second place
      update print_job set next_check_at = null from watched where print_job.key = watched.key
    )
    insert into work_waiting (lane, consumer_id, print_job_key)
    select ${laneOfJob}, consumer_id, key from print_job job where key in (select subject from gone)`.execute(
    tx,
  )
}

import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { transact } from '../transact.ts'

/**
 * Only this many of the consumer's newest events are searched for an earlier look. If more were written since, the look
 * is recorded again.
 */
const eventsMax = 1_000

/**
 * Audits that somebody looks at the letter of a print job, at most once an hour, because its pages are requested one by
 * one.
 */
export async function recordLetterViewed(
  db: Db,
  { printJobKey, actor }: { printJobKey: string; actor: string },
): Promise<void> {
  await transact(db, async (tx) => {
    // serialises concurrent requests for pages
    const look = `letter-shown ${actor} ${printJobKey}`
    await sql`select pg_advisory_xact_lock(hashtextextended(${look}, 0))`.execute(tx)
    await sql`
      insert into audit_event (actor, action, consumer_id, detail)
      select ${actor}, 'print-job.letter-shown', job.consumer_id,
        jsonb_build_object('printJobKey', job.key, 'printJobId', job.id)
      from print_job job
      where job.key = ${printJobKey} and not exists (
        select from (
          select at, actor, action, detail from audit_event where consumer_id = job.consumer_id
          order by id desc limit ${eventsMax}) newest
        where actor = ${actor} and action = 'print-job.letter-shown' and detail ->> 'printJobKey' = ${printJobKey}
          and at > now() - interval '1 hour')`.execute(tx)
  })
}

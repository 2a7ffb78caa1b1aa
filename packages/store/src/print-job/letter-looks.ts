import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { transact } from '../transact.ts'

/** Of a consumer's newest events, those among which an earlier look is found: whoever looks after more is told of again. */
const eventsMax = 1_000

/**
 * Tells in the record of changes that somebody looks at the letter of a print job, at most once an hour: its pages are
 * asked for one by one.
 */
export async function recordLetterShown(
  db: Db,
  { printJobKey, actor }: { printJobKey: string; actor: string },
): Promise<void> {
  await transact(db, async (tx) => {
    // pages that are asked for together wait for one another here
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

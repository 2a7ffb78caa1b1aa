import { unknownPrintJob } from '@despatch/contracts/administration/problems'
import { proofRefused } from '@despatch/contracts/print-request/problems'
import type { Caller } from '@despatch/domain/access/caller'
import type { DrawContext, Drawn } from '@despatch/letters/draw-letter'
import { transact } from '@despatch/postgres/transact'
import type { Db } from '@despatch/store/database'
import { findProofSourceByKey, type ProofSource } from '@despatch/store/print-job/proof'
import { sql } from 'kysely'
import { actorOf } from '../operator/access.ts'

export type OperatorDrawContext = DrawContext & { db: Db }

/**
 * Draws the letter of any print job for an operator, and records in the audit log that the operator viewed it. Throws a
 * Problem, and records nothing, if there is no such print job or no letter to view.
 */
export async function drawLetterForOperator<Shown>(
  db: Db,
  { printJobKey, caller }: { printJobKey: string; caller: Caller },
  draw: (source: ProofSource) => Promise<Drawn<Shown>>,
): Promise<Shown> {
  const source = await findProofSourceByKey(db, printJobKey)
  if (!source) throw unknownPrintJob(printJobKey)
  const drawn = await draw(source)
  if (drawn.kind !== 'drawn') throw proofRefused(printJobKey, drawn.kind)
  if (drawn.shown !== undefined) {
    await recordLetterViewed(db, { printJobKey, actor: actorOf(caller) })
  }
  return drawn.shown
}

/**
 * Only this many of the consumer's newest events are searched for an earlier view. If more were written since, the view
 * is recorded again.
 */
const eventsMax = 1_000

/**
 * Records in the audit log that an operator viewed the letter, at most once an hour, because its pages are requested
 * one by one.
 */
async function recordLetterViewed(
  db: Db,
  { printJobKey, actor }: { printJobKey: string; actor: string },
): Promise<void> {
  await transact(db, async (tx) => {
    // Serialises concurrent requests for pages.
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

import type { BulkActionKind, BulkItemOutcome } from '@despatch/domain/bulk-action/bulk-action'
import type { Db, Tx } from '@despatch/store/database'
import { sql } from 'kysely'

/** A print job to act on, with the action and reason of its bulk action. */
export type TakenItem = {
  bulkActionId: string
  position: number
  printJobKey: string
  action: BulkActionKind
  reason: string
  plannedBy: string
  confirmedBy: string
  failures: number
}

/**
 * Takes the next print job: of the operator whose id follows `afterPlanner`, so that operators take turns, and of its
 * bulk action that was confirmed first. Skips bulk actions that are being stopped. The print job stays locked until the
 * transaction ends: other takers skip it, and a caller that stops its bulk action waits for it.
 */
export async function takeItem(
  tx: Tx,
  afterPlanner: string | null,
): Promise<TakenItem | undefined> {
  const { rows } = await sql<TakenItem>`
    select bulk.id as "bulkActionId", item.position, item.print_job_key as "printJobKey", bulk.action, bulk.reason,
      bulk.planned_by as "plannedBy", bulk.confirmed_by as "confirmedBy", item.failures
    from (select * from bulk_action where state = 'RUNNING' and ${mayBegin} order by coalesce(planned_by > ${afterPlanner}::uuid, false) desc, planned_by, confirmed_at, id) bulk
    cross join lateral (
      select position, print_job_key, failures from bulk_action_item
      where bulk_action_id = bulk.id and outcome is null and (retry_at is null or retry_at <= now())
      order by position limit 1
      for no key update skip locked) item
    limit 1`.execute(tx)
  return rows[0]
}

type ItemRef = Pick<TakenItem, 'bulkActionId' | 'position'>

/** Writes the outcome of a print job. Call it in the transaction of the action. */
export async function settleItem(
  tx: Tx,
  { bulkActionId, position }: ItemRef,
  { outcome, whyNot, at }: { outcome: BulkItemOutcome; whyNot?: string; at: Date },
): Promise<void> {
  await tx
    .updateTable('bulk_action_item')
    .set({ outcome, why_not: whyNot ?? null, at, retry_at: null })
    .where('bulk_action_id', '=', bulkActionId)
    .where('position', '=', position)
    .execute()
}

/** Postpones a print job after a fault. It is retried later and does not delay the next one. */
export async function postponeItem(
  db: Db,
  { bulkActionId, position }: ItemRef,
  { failure, afterSeconds }: { failure: string; afterSeconds: number },
): Promise<void> {
  await sql`
    update bulk_action_item set failures = failures + 1, failure = ${failure},
      retry_at = now() + ${afterSeconds}::integer * interval '1 second'
    where bulk_action_id = ${bulkActionId} and position = ${position} and outcome is null`.execute(
    db,
  )
}

/** SQL: whether a bulk action is being carried out. */
export const isAnyRunning = sql<boolean>`exists (select from bulk_action where state = 'RUNNING')`

/** Returns when the oldest running bulk action was confirmed; null if none is running. */
export async function oldestRunningSince(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ since: Date | null }>`
    select min(confirmed_at) as since from bulk_action where state = 'RUNNING'`.execute(db)
  return rows[0]?.since ?? null
}

type EndedBulkAction = { id: string; done: number; refused: number; absent: number }

/** Ends the bulk actions that have no print jobs left to do, and keeps their counts. */
export async function endBulkActions(tx: Tx, { at }: { at: Date }): Promise<EndedBulkAction[]> {
  const { rows } = await sql<EndedBulkAction>`
    update bulk_action set state = 'ENDED', ended_at = ${at}, ${outcomeCounts}
    where state = 'RUNNING' and not exists (
      select from bulk_action_item where bulk_action_id = bulk_action.id and outcome is null)
    returning id, done_count as done, refused_count as refused, absent_count as absent`.execute(tx)
  return rows
}

/** SQL that sets the counts of a row of bulk_action to those of the outcomes of its print jobs. */
export const outcomeCounts = sql`
  (done_count, refused_count, absent_count, not_begun_count) = (
    select count(*) filter (where outcome = 'done'), count(*) filter (where outcome = 'refused'),
      count(*) filter (where outcome = 'absent'), count(*) filter (where outcome = 'not-begun')
    from bulk_action_item where bulk_action_id = bulk_action.id)`

/**
 * Waits for the print jobs of a bulk action that are in progress, and prevents the start of others until the
 * transaction ends. Without it, a caller that stops a bulk action would reach each print job just after another process
 * started it.
 */
export async function lockBulkActionItems(tx: Tx, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockOf(sql`${id}::text`)})`.execute(tx)
}

/**
 * SQL condition on a row of bulk_action: false while another session is, or waits, in `lockBulkActionItems`. If it is
 * true, the transaction shares the lock, and such a session waits for its end.
 */
const mayBegin = sql<boolean>`pg_try_advisory_xact_lock_shared(${lockOf(sql`id::text`)})`

function lockOf(id: ReturnType<typeof sql>) {
  return sql`hashtextextended('bulk-action ' || ${id}, 0)`
}

import {
  type BulkItemsQuery,
  bulkActionQuerySchema,
  type KeptBulkAction,
  type KeptBulkItem,
  renderBulkActionDetails,
} from '@despatch/contracts/administration/bulk-action'
import { unknownBulkAction } from '@despatch/contracts/administration/problems'
import {
  type BulkActionFacts,
  type BulkActionKind,
  type BulkItemFacts,
  whyNotNow,
} from '@despatch/domain/bulk-action/bulk-action'
import type { Db, Tx } from '@despatch/store/database'
import { sql } from 'kysely'

/** A bulk action with its place in the order of planning, which is the cursor. */
type ListedBulkAction = KeptBulkAction & { position: number }

type BulkActionPage = {
  /** The position of the last one of the previous page. */
  before?: number | undefined
  bulkActionsMax: number
}

/** Lists the bulk actions of all operators, newest first. */
export async function listBulkActionPage(
  db: Db,
  { before, bulkActionsMax }: BulkActionPage,
): Promise<ListedBulkAction[]> {
  const chosen = before === undefined ? sql`true` : sql`position < ${before}`
  const { rows } = await sql<ListedBulkAction>`
    ${columns}
    from (select * from bulk_action where ${chosen} order by position desc limit ${bulkActionsMax}) bulk
    ${withNamesAndCounts}
    order by bulk.position desc`.execute(db)
  return rows
}

const firstItems = bulkActionQuerySchema.parse({})

/** Returns a bulk action with a page of its print jobs. Throws a Problem if there is none. */
export async function getBulkActionDetails(
  db: Db,
  bulkActionId: string,
  now: Date,
  query: BulkItemsQuery = firstItems,
) {
  const bulkAction = await findBulkAction(db, bulkActionId)
  if (!bulkAction) throw unknownBulkAction(bulkActionId)
  const kept = {
    items: await listBulkItems(db, bulkActionId, query),
    itemsMax: query.limit,
    possibleCount: bulkAction.state === 'PLANNED' ? await countPossible(db, bulkAction) : 0,
    isSecondPersonOff: bulkAction.state === 'PLANNED' && (await isSecondPersonOff(db, bulkAction)),
  }
  return renderBulkActionDetails(bulkAction, kept, now)
}

export async function findBulkAction(db: Db, id: string): Promise<ListedBulkAction | undefined> {
  const { rows } = await sql<ListedBulkAction>`
    ${columns} from bulk_action bulk ${withNamesAndCounts} where bulk.id = ${id}`.execute(db)
  return rows[0]
}

// jsonb, so that equal facts can be grouped
const factsOfPrintJob = sql`jsonb_build_object('status', job.status, 'heldBy', job.held_by,
  'isDeleted', job.deleted_at is not null, 'isHeld', job.held_at is not null,
  'isParked', job.parked_at is not null, 'isPurged', job.purge_began_at is not null)`

/** Lists a page of the print jobs of a bulk action in the order of the plan, with their current state. */
async function listBulkItems(
  db: Db,
  id: string,
  { outcome, cursor = '0', limit }: BulkItemsQuery,
): Promise<KeptBulkItem[]> {
  const isChosen =
    outcome === undefined
      ? sql`true`
      : outcome === 'left'
        ? sql`item.outcome is null`
        : sql`item.outcome = ${outcome}`
  const { rows } = await sql<KeptBulkItem>`
    select item.position, item.print_job_key as "printJobKey", item.print_job_id as "printJobId", item.outcome,
      item.why_not as "whyNot", item.at, item.failures, item.failure, item.retry_at as "retryAt",
      case when job.key is not null
        then ${factsOfPrintJob} || jsonb_build_object('userName', consumer.user_name) end as "printJob"
    from (
      select * from bulk_action_item item
      where bulk_action_id = ${id} and position > ${cursor}::bigint and ${isChosen}
      order by position limit ${limit}) item
    left join print_job job on job.key = item.print_job_key
    left join consumer on consumer.id = job.consumer_id
    order by item.position`.execute(db)
  return rows
}

/** Counts the print jobs on which the action is possible now. Many have the same facts. */
async function countPossible(
  db: Db,
  { id, action }: { id: string; action: BulkActionKind },
): Promise<number> {
  const { rows } = await sql<{ facts: BulkItemFacts; count: number }>`
    select ${factsOfPrintJob} as facts, count(*) as count
    from bulk_action_item item join print_job job on job.key = item.print_job_key
    where item.bulk_action_id = ${id} group by 1`.execute(db)
  const possible = rows.filter(({ facts }) => whyNotNow(action, facts) === null)
  return possible.reduce((sum, { count }) => sum + count, 0)
}

/** Returns whether a plan requires no second person because that rule is not on yet. The audit log knows it. */
async function isSecondPersonOff(
  db: Db,
  { id, needsSecondPerson }: { id: string; needsSecondPerson: boolean },
): Promise<boolean> {
  if (needsSecondPerson) return false
  const { rows } = await sql`
    select from audit_event where audit_subjects(detail) @> array[${id}::text]
      and action = 'bulk-action.planned' and detail ->> 'secondPerson' = 'off'`.execute(db)
  return rows.length > 0
}

/** Reads the facts that decide on a bulk action, and locks it until the transaction ends. */
export async function lockBulkAction(tx: Tx, id: string): Promise<BulkActionFacts | undefined> {
  const { rows } = await sql<BulkActionFacts>`
    select ${facts} from bulk_action bulk where id = ${id} for no key update`.execute(tx)
  return rows[0]
}

const facts = sql`
  bulk.state, bulk.digest, bulk.print_job_count as "printJobCount", bulk.needs_second_person as "needsSecondPerson",
  bulk.planned_by as "plannedBy", bulk.planned_at as "plannedAt"`

const columns = sql`
  select ${facts}, bulk.id, bulk.position, bulk.action, bulk.reason, bulk.matching,
    planner.user_name as "plannedByUserName", confirmer.user_name as "confirmedByUserName",
    bulk.confirmed_at as "confirmedAt", stopper.user_name as "stoppedByUserName", bulk.stopped_at as "stoppedAt",
    bulk.ended_at as "endedAt", coalesce(bulk.done_count, counted.done) as done,
    coalesce(bulk.refused_count, counted.refused) as refused, coalesce(bulk.absent_count, counted.absent) as absent,
    coalesce(bulk.not_begun_count, counted."notBegun") as "notBegun",
    case bulk.state when 'PLANNED' then bulk.print_job_count else counted.left end as left, counted.failing`

// Print jobs are counted only while their outcomes change.
const withNamesAndCounts = sql`
  join consumer planner on planner.id = bulk.planned_by
  left join consumer confirmer on confirmer.id = bulk.confirmed_by
  left join consumer stopper on stopper.id = bulk.stopped_by
  cross join lateral (
    select count(*) filter (where outcome = 'done') as done, count(*) filter (where outcome = 'refused') as refused,
      count(*) filter (where outcome = 'absent') as absent, count(*) filter (where outcome = 'not-begun') as "notBegun",
      count(*) filter (where outcome is null) as left, count(*) filter (where outcome is null and failures > 0) as failing
    from bulk_action_item
    where bulk_action_id = bulk.id and bulk.state <> 'PLANNED' and bulk.done_count is null) counted`

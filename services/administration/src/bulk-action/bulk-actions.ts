import {
  type BulkActionDetailsResponse,
  type KeptBulkAction,
  type KeptBulkItem,
  renderBulkActionDetails,
} from '@despatch/contracts/administration/bulk-action'
import { unknownBulkAction } from '@despatch/contracts/administration/problems'
import type { BulkActionFacts } from '@despatch/domain/bulk-action/bulk-action'
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

/** Returns a bulk action with each of its print jobs. Throws a Problem if there is none. */
export async function getBulkActionDetails(
  db: Db,
  bulkActionId: string,
  now: Date,
): Promise<BulkActionDetailsResponse> {
  const bulkAction = await findBulkAction(db, bulkActionId)
  if (!bulkAction) throw unknownBulkAction(bulkActionId)
  return renderBulkActionDetails(bulkAction, await listBulkItems(db, bulkActionId), now)
}

export async function findBulkAction(db: Db, id: string): Promise<ListedBulkAction | undefined> {
  const { rows } = await sql<ListedBulkAction>`
    ${columns} from bulk_action bulk ${withNamesAndCounts} where bulk.id = ${id}`.execute(db)
  return rows[0]
}

/** Lists the print jobs of a bulk action in the order of the plan, with their current state. */
async function listBulkItems(db: Db, id: string): Promise<KeptBulkItem[]> {
  const { rows } = await sql<KeptBulkItem>`
    select item.print_job_key as "printJobKey", item.print_job_id as "printJobId", item.outcome,
      item.why_not as "whyNot", item.at, item.failures, item.failure, item.retry_at as "retryAt",
      case when job.key is not null then json_build_object('userName', consumer.user_name, 'status', job.status, 'heldBy', job.held_by,
        'isDeleted', job.deleted_at is not null, 'isHeld', job.held_at is not null,
        'isParked', job.parked_at is not null, 'isPurged', job.purge_began_at is not null) end as "printJob"
    from bulk_action_item item
    left join print_job job on job.key = item.print_job_key
    left join consumer on consumer.id = job.consumer_id
    where item.bulk_action_id = ${id}
    order by item.position`.execute(db)
  return rows
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
  select ${facts}, bulk.id, bulk.position, bulk.action, bulk.reason, planner.user_name as "plannedByUserName",
    confirmer.user_name as "confirmedByUserName", bulk.confirmed_at as "confirmedAt",
    stopper.user_name as "stoppedByUserName", bulk.stopped_at as "stoppedAt", bulk.ended_at as "endedAt", counted.*`

const withNamesAndCounts = sql`
  join consumer planner on planner.id = bulk.planned_by
  left join consumer confirmer on confirmer.id = bulk.confirmed_by
  left join consumer stopper on stopper.id = bulk.stopped_by
  cross join lateral (
    select count(*) filter (where outcome = 'done') as done, count(*) filter (where outcome = 'refused') as refused,
      count(*) filter (where outcome = 'absent') as absent, count(*) filter (where outcome = 'not-begun') as "notBegun",
      count(*) filter (where outcome is null) as left, count(*) filter (where outcome is null and failures > 0) as failing
    from bulk_action_item where bulk_action_id = bulk.id) counted`

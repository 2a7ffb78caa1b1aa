import type {
  BulkActionFacts,
  BulkActionKind,
  BulkItemFacts,
  BulkItemOutcome,
} from '@despatch/domain/bulk-action/bulk-action'
import { sql } from 'kysely'
import type { Db, Tx } from '../database.ts'

/** A bulk action as operators see it. People are identified by consumer id and user name. */
export type FoundBulkAction = BulkActionFacts & {
  id: string
  /** The order of planning, and the cursor. */
  position: number
  action: BulkActionKind
  reason: string
  plannedByUserName: string
  confirmedBy: string | null
  confirmedByUserName: string | null
  confirmedAt: Date | null
  stoppedBy: string | null
  stoppedByUserName: string | null
  stoppedAt: Date | null
  endedAt: Date | null
  done: number
  refused: number
  absent: number
  notBegun: number
  /** Items not done yet. `failing` of them have failed because of a fault of ours and are retried. */
  left: number
  failing: number
}

export type FoundBulkItem = {
  position: number
  printJobKey: string
  printJobId: string | null
  outcome: BulkItemOutcome | null
  whyNot: string | null
  at: Date | null
  failures: number
  failure: string | null
  retryAt: Date | null
  /** The print job as it is now; null if it does not exist. */
  printJob: (BulkItemFacts & { userName: string }) | null
}

export type BulkActionPage = {
  /** The position of the last one of the previous page. */
  before?: number | undefined
  bulkActionsMax: number
}

/** Lists the bulk actions of all operators, newest first. */
export async function listBulkActions(
  db: Db,
  { before, bulkActionsMax }: BulkActionPage,
): Promise<FoundBulkAction[]> {
  const chosen = before === undefined ? sql`true` : sql`position < ${before}`
  const { rows } = await sql<FoundBulkAction>`
    ${columns}
    from (select * from bulk_action where ${chosen} order by position desc limit ${bulkActionsMax}) bulk
    ${withNamesAndCounts}
    order by bulk.position desc`.execute(db)
  return rows
}

export async function findBulkAction(db: Db, id: string): Promise<FoundBulkAction | undefined> {
  const { rows } = await sql<FoundBulkAction>`
    ${columns} from bulk_action bulk ${withNamesAndCounts} where bulk.id = ${id}`.execute(db)
  return rows[0]
}

/** Lists the print jobs of a bulk action in the order of the plan, with their current state. */
export async function listBulkItems(db: Db, id: string): Promise<FoundBulkItem[]> {
  const { rows } = await sql<FoundBulkItem>`
    select item.position, item.print_job_key as "printJobKey", item.print_job_id as "printJobId", item.outcome,
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
    bulk.confirmed_by as "confirmedBy", confirmer.user_name as "confirmedByUserName",
    bulk.confirmed_at as "confirmedAt", bulk.stopped_by as "stoppedBy", stopper.user_name as "stoppedByUserName",
    bulk.stopped_at as "stoppedAt", bulk.ended_at as "endedAt", counted.*`

const withNamesAndCounts = sql`
  join consumer planner on planner.id = bulk.planned_by
  left join consumer confirmer on confirmer.id = bulk.confirmed_by
  left join consumer stopper on stopper.id = bulk.stopped_by
  cross join lateral (
    select count(*) filter (where outcome = 'done') as done, count(*) filter (where outcome = 'refused') as refused,
      count(*) filter (where outcome = 'absent') as absent, count(*) filter (where outcome = 'not-begun') as "notBegun",
      count(*) filter (where outcome is null) as left, count(*) filter (where outcome is null and failures > 0) as failing
    from bulk_action_item where bulk_action_id = bulk.id) counted`

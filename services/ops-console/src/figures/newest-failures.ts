import type { CallbackEndReason, CallbackKind } from '@despatch/domain/callback/callback-state'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

/** A print job that fails because of a fault of ours: parked, or due for a retry. Contains only ids and classes. */
export type FailingStep = {
  printJobId: string
  status: PrintJobStatus
  failure: string | null
  failures: number
  isParked: boolean
  at: Date
}

const scannedMax = 1_000

/** Finds the newest failures: parked print jobs, and failing ones among those that have been longest in their step. */
export async function listFailingSteps(db: Db, stepsMax: number): Promise<FailingStep[]> {
  const { rows } = await sql<FailingStep>`
    with parked as (
      select id, status, step_failure, step_failures, true as is_parked, parked_at as at
      from print_job where parked_at is not null order by parked_at desc limit ${stepsMax}
    ), failing as (
      select id, status, step_failure, step_failures, false as is_parked, updated_at as at from (
        (select id, status, step_failure, step_failures, parked_at, updated_at
          from print_job where status = 'QUARANTINE' and deleted_at is null order by updated_at limit ${scannedMax})
        union all
        (select id, status, step_failure, step_failures, parked_at, updated_at
          from print_job where status = 'VALIDATING' and deleted_at is null order by updated_at limit ${scannedMax})
      ) longest
      where step_failures > 0 and parked_at is null limit ${stepsMax}
    )
    select id as "printJobId", status, step_failure as failure, step_failures as failures,
      is_parked as "isParked", at
    from (table parked union all table failing) step
    order by at desc limit ${stepsMax}`.execute(db)
  return rows
}

/** A dead callback, with the outcome of its last attempt. Does not contain the target. */
export type DeadCallback = {
  callbackId: string
  kind: CallbackKind
  /** Null: a test message. */
  printJobId: string | null
  status: PrintJobStatus | null
  reason: CallbackEndReason
  attempts: number
  outcome: string | null
  httpStatus: number | null
  at: Date
}

/** Finds the most recent dead callbacks. */
export async function listDeadCallbacks(db: Db, callbacksMax: number): Promise<DeadCallback[]> {
  const { rows } = await sql<DeadCallback>`
    with dead as (
      select id, kind, print_job_key, status, end_reason, attempts, ended_at from callback
      where state = 'DEAD' order by ended_at desc limit ${callbacksMax}
    )
    select dead.id as "callbackId", dead.kind, job.id as "printJobId", dead.status, dead.end_reason as reason,
      dead.attempts, attempt.outcome, attempt.http_status as "httpStatus", dead.ended_at as at
    from dead
    left join print_job job on job.key = dead.print_job_key
    left join callback_attempt attempt on attempt.callback_id = dead.id and attempt.number = dead.attempts
    order by dead.ended_at desc`.execute(db)
  return rows
}

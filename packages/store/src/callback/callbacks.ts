import type { NextStep } from '@despatch/domain/callback/retry'
import type { CallbackParams } from '@despatch/domain/print-job/params'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A callback that one worker holds until its lease ends or somebody takes it with a higher epoch. */
export type TakenCallback = {
  id: string
  epoch: number
  printJobKey: string
  sequence: number
  body: Buffer
  /** Attempts recorded so far. */
  attempts: number
  createdAt: Date
  firstAttemptAt: Date | null
  plannedAt: Date
  /** The database's clock when it was taken. */
  takenAt: Date
  callbackParams: CallbackParams
  authenticationSealed: Buffer | null
  correlationId: string
  /** The consumer has said of an earlier callback that its target is gone. */
  isGone: boolean
}

/**
 * Takes those of the callbacks that are due, are the first of their print job to be due, and whose print job has no
 * call under way. The others are left alone: they are woken when the call under way has been recorded.
 */
export async function takeCallbacks(
  db: Db,
  ids: readonly string[],
  { leaseSeconds }: { leaseSeconds: number },
): Promise<TakenCallback[]> {
  // All due callbacks of the print jobs are locked, in one order: two workers cannot each find the print job free.
  const { rows } = await sql<TakenCallback>`
    with locked as materialized (
      select id, print_job_key, sequence, due_at, lease_until from callback
      where state = 'DUE'
        and print_job_key in (select print_job_key from callback where id = any (${ids}::uuid[]))
      order by print_job_key, sequence for update
    ), head as (
      select distinct on (print_job_key) id, print_job_key from locked
      where due_at <= now() order by print_job_key, sequence
    ), taken as (
      update callback set
        attempt_epoch = attempt_epoch + 1,
        lease_until = now() + ${leaseSeconds} * interval '1 second'
      from head
      where callback.id = head.id
        and head.id = any (${ids}::uuid[])
        and not exists (
          select from locked where locked.print_job_key = head.print_job_key and locked.lease_until > now())
      returning callback.id, callback.attempt_epoch, callback.print_job_key, callback.sequence, callback.body,
        callback.attempts, callback.created_at, callback.first_attempt_at, callback.due_at
    )
    select taken.id, taken.attempt_epoch as epoch, taken.print_job_key as "printJobKey", taken.sequence, taken.body,
      taken.attempts, taken.created_at as "createdAt", taken.first_attempt_at as "firstAttemptAt",
      taken.due_at as "plannedAt", now() as "takenAt", job.callback_params as "callbackParams",
      job.callback_authentication_sealed as "authenticationSealed", job.correlation_id as "correlationId",
      taken.attempts = 0 and exists (
        select from callback earlier join callback_attempt attempt on attempt.callback_id = earlier.id
        where earlier.print_job_key = taken.print_job_key and attempt.http_status = 410) as "isGone"
    from taken join print_job job on job.key = taken.print_job_key`.execute(db)
  return rows
}

/** What a worker says of a callback that it has taken. Without `attempt`, no attempt was used up. */
export type CallbackRecord = {
  id: string
  epoch: number
  attempt?: CallbackAttempt | undefined
  next: NextStep
}

export type CallbackAttempt = {
  number: number
  plannedAt: Date
  startedAt: Date
  durationMs: number
  outcome: string
  httpStatus?: number | undefined
}

/**
 * Writes what became of callbacks: the attempt, the next state, the wake-up of the next attempt, and that of the
 * print job's next callback if it waits. Returns the ids that were written; another was taken over meanwhile.
 */
export async function recordCallbacks(
  db: Db,
  records: readonly CallbackRecord[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with record as (
      select * from json_to_recordset(${JSON.stringify(records.map(toRow))}::json) as row (
        id uuid, epoch integer, state text, due_at timestamptz, is_gone boolean, number integer,
        planned_at timestamptz, started_at timestamptz, duration_ms integer, outcome text, http_status integer)
    ), locked as materialized (
      select id, print_job_key, sequence, due_at, lease_until, attempt_epoch from callback
      where state = 'DUE'
        and print_job_key in (select print_job_key from callback where id in (select id from record))
      order by print_job_key, sequence for update
    ), recorded as (
      update callback set
        state = record.state,
        due_at = record.due_at,
        ended_at = case when record.state <> 'DUE' then now() end,
        attempts = coalesce(record.number, callback.attempts),
        first_attempt_at = coalesce(callback.first_attempt_at, record.started_at),
        lease_until = null,
        attempt_epoch = callback.attempt_epoch + 1
      from record join locked on locked.id = record.id and locked.attempt_epoch = record.epoch
      where callback.id = record.id
      returning callback.id, callback.print_job_key, callback.attempt_epoch, callback.due_at, record.is_gone
    ), attempt as (
      insert into callback_attempt
        (callback_id, number, planned_at, started_at, duration_ms, outcome, http_status, next_at)
      select id, number, planned_at, started_at, duration_ms, outcome, http_status, record.due_at
      from record join recorded using (id) where number is not null
    ), waiting as (
      select locked.id, locked.print_job_key, locked.sequence, locked.due_at, locked.lease_until, recorded.is_gone
      from locked join recorded using (print_job_key)
      where locked.id not in (select id from record)
    ), ended as (
      update callback set
        state = 'ABANDONED', due_at = null, ended_at = now(), lease_until = null, attempt_epoch = attempt_epoch + 1
      where id in (select id from waiting where is_gone)
    ), woken as (
      update callback set attempt_epoch = attempt_epoch + 1
      where id in (
        select distinct on (print_job_key) id from waiting
        where not is_gone and due_at <= now() and (lease_until is null or lease_until <= now())
        order by print_job_key, sequence)
      returning id, attempt_epoch, due_at
    ), task as (
      insert into outbox (queue, subject, epoch, due_at)
      select 'callback', id, attempt_epoch, due_at from recorded where due_at is not null
      union all select 'callback', id, attempt_epoch, due_at from woken
    )
    select id from recorded`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Wakes callbacks that have been due for longer than `lateSeconds` without anybody at work on them: their wake-up,
 * or the worker that had taken them, was lost. Each is woken again only after another `lateSeconds`.
 * Several sweeps share the work. Returns how many were woken.
 */
export async function wakeOverdueCallbacks(
  db: Db,
  { lateSeconds, callbacksMax }: { lateSeconds: number; callbacksMax: number },
): Promise<number> {
  // A lease that ends now holds nobody up and remembers when the callback was last woken.
  const { rows } = await sql<{ woken: number }>`
    with overdue as (
      select id from callback
      where state = 'DUE'
        and due_at <= now() - ${lateSeconds} * interval '1 second'
        and (lease_until is null or lease_until <= now() - ${lateSeconds} * interval '1 second')
      order by due_at limit ${callbacksMax} for update skip locked
    ), woken as (
      update callback set attempt_epoch = attempt_epoch + 1, lease_until = now()
      where id in (select id from overdue)
      returning id, attempt_epoch
    ), task as (
      insert into outbox (queue, subject, epoch) select 'callback', id, attempt_epoch from woken
    )
    select count(*) as woken from woken`.execute(db)
  return rows[0]?.woken ?? 0
}

function toRow({ id, epoch, attempt, next }: CallbackRecord) {
  return {
    id,
    epoch,
    ...nextState(next),
    is_gone: next.kind === 'abandon' && next.reason === 'gone',
    number: attempt?.number,
    planned_at: attempt?.plannedAt,
    started_at: attempt?.startedAt,
    duration_ms: attempt?.durationMs,
    outcome: attempt?.outcome,
    http_status: attempt?.httpStatus,
  }
}

function nextState(next: NextStep) {
  switch (next.kind) {
    case 'delivered':
      return { state: 'DELIVERED' }
    case 'abandon':
      return { state: 'ABANDONED' }
    case 'retry':
    case 'postpone':
      return { state: 'DUE', due_at: next.at }
  }
}

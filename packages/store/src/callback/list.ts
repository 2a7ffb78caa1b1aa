import { attemptInWords } from '@despatch/domain/callback/attempt-in-words'
import type { AttemptOutcome } from '@despatch/domain/callback/attempt-outcome'
import type {
  CallbackEndReason,
  CallbackKind,
  CallbackState,
} from '@despatch/domain/callback/callback-state'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import { purgedBody } from '../purge/purged-body.ts'
import { isPurgeBegun } from '../purge/redact.ts'
import { type CallbackFilter, chosenBy, ofPrintJob } from './filter.ts'
import { createdWithin } from './position-bounds.ts'

type ListedCallback = {
  callbackId: string
  /** The order in which callbacks became owed, and the cursor. */
  position: number
  consumerId: string
  userName: string
  /** The consumer's own id of the print job. Null: a test message. */
  jobId: string | null
  sequence: number
  kind: CallbackKind
  jobStatus: PrintJobStatus | null
  status: CallbackState
  reason: CallbackEndReason | null
  origin: string
  attempts: number
  replays: number
  createdAt: Date
  nextAttemptAt: Date | null
  windowEndsAt: Date | null
  endedAt: Date | null
}

type CallbackPage = {
  /** The position of the last callback of the previous page. */
  before?: number | undefined
  callbacksMax: number
}

/** Lists the callbacks that a filter selects, newest first. */
export async function listCallbackPage(
  db: Db,
  filter: CallbackFilter,
  { before, callbacksMax }: CallbackPage,
): Promise<ListedCallback[]> {
  const chosen = sql`${chosenBy(filter)} and ${before === undefined ? sql`true` : sql`callback.position < ${before}`}`
  const page = pageOf(filter, chosen, callbacksMax)
  const { rows } = await sql<ListedCallback>`
    select ${listed} from (${page} order by position desc limit ${callbacksMax}) callback
    ${withNames} order by callback.position desc`.execute(db)
  return rows
}

/**
 * Returns the SQL of one page. Live callbacks, and those of one print job, are few: they are collected and sorted. Of
 * the many others, each consumer's newest are read from an index, in order and within the requested time range. No more
 * of them are read than fit on the page.
 */
function pageOf(filter: CallbackFilter, chosen: RawBuilder<unknown>, callbacksMax: number) {
  const { consumerId, origin, status, reason, jobId } = filter
  if (jobId !== undefined) {
    const ofJob = sql`select * from callback where ${ofPrintJob(jobId, consumerId)} offset 0`
    return sql`select * from (${ofJob}) callback where ${chosen}`
  }
  if (status === 'DUE' || status === 'WAITING' || status === 'OPEN') {
    return sql`select * from (${live(status)}) callback where ${chosen}`
  }
  if (origin !== undefined && (status === 'DEAD' || reason !== undefined)) {
    return sql`select * from callback where ${chosen}`
  }
  const consumers =
    consumerId === undefined ? sql`consumer` : sql`(select ${consumerId}::uuid as id) consumer`
  return sql`
    select newest.* from ${consumers} cross join lateral (
      select * from callback
      where callback.consumer_id = consumer.id and ${createdWithin(filter)} and ${chosen}
      order by position desc limit ${callbacksMax}) newest`
}

function live(status: 'DUE' | 'WAITING' | 'OPEN') {
  const waiting = sql`
    select * from (
      select * from callback where strict_contract_id is not null and state = 'WAITING' offset 0) waiting`
  const due = sql`
    select * from (select * from callback where state = 'DUE' offset 0) due`
  return { WAITING: waiting, DUE: due, OPEN: sql`${due} union all ${waiting}` }[status]
}

const listed = sql`
  callback.id as "callbackId", callback.position, callback.consumer_id as "consumerId", consumer.user_name as "userName",
  job.id as "jobId", callback.sequence, callback.kind, callback.status as "jobStatus",
  callback.state as status, callback.end_reason as reason, callback.origin, callback.attempts, callback.replays,
  callback.created_at as "createdAt", callback.due_at as "nextAttemptAt", callback.window_ends_at as "windowEndsAt",
  callback.ended_at as "endedAt"`

const withNames = sql`
  join consumer on consumer.id = callback.consumer_id
  left join print_job job on job.key = callback.print_job_key`

/** SQL for the body of a callback. A body that is being purged is not shown. */
const body = sql`case when ${isPurgeBegun} then ${purgedBody} else callback.body end`

/** Finds one callback with its body. With `consumerId`, returns undefined for another consumer's callback. */
export async function findCallback(
  db: Db,
  { consumerId }: { consumerId?: string | undefined },
  id: string,
): Promise<(ListedCallback & { message: Buffer }) | undefined> {
  const { rows } = await sql<ListedCallback & { message: Buffer }>`
    select ${listed}, ${body} as message from callback ${withNames}
    where callback.id = ${id} and ${chosenBy({ consumerId })}`.execute(db)
  return rows[0]
}

type ListedCallbackAttempt = {
  number: number
  plannedAt: Date
  startedAt: Date
  durationMs: number
  outcome: AttemptOutcome
  /** How it ended, in a sentence. */
  detail: string
  httpStatus: number | null
  failure: string | null
  address: string | null
  answer: Buffer | null
  nextAttemptAt: Date | null
}

/** Lists every attempt at a callback, oldest first. */
export async function listCallbackAttempts(db: Db, id: string): Promise<ListedCallbackAttempt[]> {
  const { rows } = await sql<Omit<ListedCallbackAttempt, 'detail'>>`
    select attempt.number, attempt.planned_at as "plannedAt", attempt.started_at as "startedAt",
      attempt.duration_ms as "durationMs", attempt.outcome, attempt.http_status as "httpStatus", attempt.failure,
      case when not ${isPurgeBegun} then attempt.address end as address,
      case when not ${isPurgeBegun} then attempt.answer end as answer, attempt.next_at as "nextAttemptAt"
    from callback_attempt attempt join callback on callback.id = attempt.callback_id
    left join print_job job on job.key = callback.print_job_key
    where attempt.callback_id = ${id} order by attempt.number`.execute(db)
  return rows.map((attempt) => ({ ...attempt, detail: attemptInWords(attempt) }))
}

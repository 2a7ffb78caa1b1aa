import type { AttemptOutcome } from '@despatch/domain/callback/attempt-outcome'
import type { NextStep } from '@despatch/domain/callback/retry'
import { isReplyLost, untilAnswered } from '@despatch/postgres/lost-reply'
import { transactOn } from '@despatch/postgres/transact'
import type pg from 'pg'

/** What a process reports about a callback that it took. Without `attempt`, no attempt was used up. */
export type CallbackRecord = {
  id: string
  epoch: number
  attempt?: CallbackAttempt | undefined
  next: NextStep
  /** End of the window that the attempt belongs to; null if there are no further attempts. */
  windowEndsAt: Date | null
}

export type CallbackAttempt = {
  number: number
  plannedAt: Date
  startedAt: Date
  durationMs: number
  outcome: AttemptOutcome
  httpStatus?: number | undefined
  /** The IP address that the call connected to. */
  address?: string | undefined
  /** The consumer's answer, with its own credentials removed. */
  answer?: Uint8Array | undefined
  /** Class of the error if there was no answer. */
  failure?: string | undefined
}

/**
 * Writes the results of callbacks: the attempt and the next state. When a consumer answers that it is gone, all owed
 * callbacks of the print job end too. Returns the ids that were written; any other was taken over, or had ended, in the
 * meantime.
 */
export async function recordCallbacks(
  pool: pg.Pool,
  records: readonly CallbackRecord[],
): Promise<string[]> {
  const others = records.filter((each) => !isGone(each))
  const recorded = others.length > 0 ? await writeAlone(pool, others) : []
  // One at a time, so that no process locks one print job while it waits for another.
  for (const gone of records.filter(isGone)) recorded.push(...(await recordGone(pool, gone)))
  return recorded
}

function isGone({ next }: CallbackRecord): boolean {
  return next.kind === 'abandon' && next.reason === 'gone'
}

/**
 * Records that the consumer is gone, and ends the owed callbacks of the print job. Locks the print job first, as a
 * transaction that adds a callback does. If that transaction comes first, its callback is ended here; if it comes
 * later, it finds the consumer gone.
 */
function recordGone(pool: pg.Pool, gone: CallbackRecord): Promise<string[]> {
  return transactOn(pool, async (client) => {
    await client.query(leavePrintJob, [gone.id, gone.epoch])
    const recorded = await write(client, [gone])
    await client.query(endOthers, [recorded])
    return recorded
  })
}

const leavePrintJob = `
  update print_job set callback_gone_at = coalesce(callback_gone_at, now())
  where key = (select print_job_key from callback where id = $1 and attempt_epoch = $2 and state = 'DUE')`

const endOthers = `
  update callback set
    state = 'DEAD', end_reason = 'gone', due_at = null, ended_at = now(), attempt_epoch = attempt_epoch + 1
  where print_job_key in (select print_job_key from callback where id = any ($1::uuid[]))
    and state in ('WAITING', 'DUE')`

/**
 * A transaction would take four round trips. If the reply is lost, the statement is sent again, because it changes
 * nothing the second time.
 */
async function writeAlone(pool: pg.Pool, records: readonly CallbackRecord[]): Promise<string[]> {
  try {
    return await write(pool, records)
  } catch (error) {
    if (!isReplyLost(error)) throw error
    return untilAnswered(async () => {
      await write(pool, records)
      return write(pool, records, written)
    }, error)
  }
}

async function write(
  client: pg.Pool | pg.PoolClient,
  records: readonly CallbackRecord[],
  statement: { name: string; text: string } = record,
): Promise<string[]> {
  const values = [JSON.stringify(records.map(toRow))]
  const { rows } = await client.query<{ id: string }>({ ...statement, values })
  return rows.map(({ id }) => id)
}

// The conditions are inside a coalesce so that the planner uses only the ids, whatever its statistics say.
const record = {
  name: 'callbacks-record',
  text: `
    with record as (
      select * from json_to_recordset($1::json) as row (
        id uuid, epoch integer, state text, end_reason text, due_at timestamptz, window_ends_at timestamptz,
        number integer, planned_at timestamptz, started_at timestamptz, duration_ms integer, outcome text,
        http_status integer, address text, answer text, failure text)
    ), recorded as (
      update callback set
        state = record.state,
        end_reason = record.end_reason,
        due_at = record.due_at,
        ended_at = case when record.state <> 'DUE' then now() end,
        attempts = coalesce(record.number, callback.attempts),
        first_attempt_at = coalesce(callback.first_attempt_at, record.started_at),
        window_ends_at = coalesce(callback.window_ends_at, record.window_ends_at),
        attempt_epoch = callback.attempt_epoch + 1
      from record
      where callback.id = record.id
        and coalesce(callback.attempt_epoch = record.epoch and callback.state = 'DUE', false)
      returning record.*
    ), attempt as (
      insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome, http_status,
        next_at, address, answer, failure)
      select id, number, planned_at, started_at, duration_ms, outcome, http_status,
        due_at, address, decode(answer, 'base64'), failure
      from recorded where number is not null
    )
    select id from recorded`,
}

// An attempt is recognised by its start, and a postponement by its random time.
const written = {
  name: 'callbacks-written',
  text: `
    select record.id
    from json_to_recordset($1::json) as record (id uuid, due_at timestamptz, number integer, started_at timestamptz)
    join callback on callback.id = record.id
    left join callback_attempt attempt on attempt.callback_id = record.id and attempt.number = record.number
    where case when record.number is null then callback.due_at = record.due_at
      else attempt.started_at = record.started_at end`,
}

function toRow({ id, epoch, attempt, next, windowEndsAt }: CallbackRecord) {
  return {
    id,
    epoch,
    ...nextState(next),
    ...(attempt && {
      window_ends_at: windowEndsAt,
      number: attempt.number,
      planned_at: attempt.plannedAt,
      started_at: attempt.startedAt,
      duration_ms: attempt.durationMs,
      outcome: attempt.outcome,
      http_status: attempt.httpStatus,
      address: attempt.address,
      answer: attempt.answer && Buffer.from(attempt.answer).toString('base64'),
      failure: attempt.failure,
    }),
  }
}

function nextState(next: NextStep) {
  switch (next.kind) {
    case 'delivered':
      return { state: 'DELIVERED' }
    case 'abandon':
      return { state: 'DEAD', end_reason: next.reason }
    case 'retry':
    case 'postpone':
      return { state: 'DUE', due_at: next.at }
  }
}

import type { AttemptOutcome } from '@despatch/domain/callback/attempt-outcome'
import type { CallbackEndReason, CallbackState } from '@despatch/domain/callback/callback-state'
import type { Database } from '@despatch/store/database'
import type { ReceivedCall } from '../../stack/callbacks/recording-receiver.ts'

/** What the database says of callbacks, and what their consumers saw. Times are milliseconds since 1970. */
export type Deliveries = {
  /** In the order in which they became owed. */
  callbacks: NewCallback[]
  calls: readonly ReceivedCall[]
  /** When a process was killed or frozen, or its connections were ended. */
  blows: readonly number[]
  /** When a frozen process resumed. */
  thaws: readonly number[]
}

export type NewCallback = {
  id: string
  printJobKey: string
  sequence: number
  /** Null: the callback waits only for other callbacks of its print job. */
  strictContractId: string | null
  isRetried: boolean
  /** The SHA-256 of the body, in hexadecimal. */
  sha256: string
  state: CallbackState
  endReason: CallbackEndReason | null
  attemptCount: number
  owedSince: number
  windowEndsAt: number | null
  endedAt: number | null
  /** In order of their numbers. */
  attempts: Attempt[]
}

export type Attempt = {
  number: number
  startedAt: number
  endedAt: number
  outcome: AttemptOutcome
}

const milliseconds = (moment: string) => `(extract(epoch from ${moment}) * 1000)::double precision`

/** Reads the callbacks that a consumer is owed, each with all its attempts. */
export async function readCallbacks(
  { pool }: Database,
  consumerId: string,
): Promise<NewCallback[]> {
  const { rows } = await pool.query<NewCallback>(
    `select callback.id, print_job_key as "printJobKey", sequence, strict_contract_id as "strictContractId",
       coalesce((callback_params #>> '{retryParams,enabled}')::boolean, false) as "isRetried",
       encode(sha256(body), 'hex') as sha256, state, end_reason as "endReason",
       callback.attempts as "attemptCount",
       ${milliseconds('owed_since')} as "owedSince", ${milliseconds('window_ends_at')} as "windowEndsAt", ${milliseconds('ended_at')} as "endedAt",
       coalesce(log.attempts, '[]') as attempts
     from callback
     join print_job on print_job.key = print_job_key
     left join lateral (
       select json_agg(json_build_object('number', number, 'outcome', outcome,
         'startedAt', ${milliseconds('started_at')}, 'endedAt', ${milliseconds('started_at')} + duration_ms)
         order by number) as attempts
       from callback_attempt where callback_id = callback.id
     ) log on true
     where callback.consumer_id = $1
     order by position`,
    [consumerId],
  )
  return rows
}

import type {
  CallbackEndReason,
  CallbackKind,
  CallbackState,
} from '@despatch/domain/callback/callback-state'
import type { CallTally } from '@despatch/domain/callback/origin-health'
import type { RetryParams } from '@despatch/domain/print-job/params'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { Generated, GeneratedAlways } from 'kysely'
import type {
  Json,
  Nullable,
  NullableJson,
  NullableTimestamp,
  Timestamp,
} from './schema-columns.ts'

/** The part of a print job's callback params that is stored in plain text. Its presence requests callbacks. */
export type StoredCallbackParams = { retryParams?: RetryParams }

/** The tables of callbacks. */
export type CallbackSchema = {
  callback: {
    id: string
    position: GeneratedAlways<number>
    consumer_id: string
    print_job_key: Nullable<string>
    sequence: number
    kind: Generated<CallbackKind>
    status: Nullable<PrintJobStatus>
    body: Buffer
    origin: string
    strict_contract_id: Nullable<string>
    calls_max: Generated<number>
    state: Generated<CallbackState>
    end_reason: Nullable<CallbackEndReason>
    attempts: Generated<number>
    attempts_before: Generated<number>
    replays: Generated<number>
    owed_since: Timestamp
    first_attempt_at: NullableTimestamp
    window_ends_at: NullableTimestamp
    due_at: NullableTimestamp
    attempt_epoch: Generated<number>
    destination_sealed: Nullable<Buffer>
    retry_params: NullableJson<RetryParams>
    created_at: Timestamp
    ended_at: NullableTimestamp
  }
  callback_batch: {
    id: string
    origin: string
    subjects: string[]
    versions: number[]
    calls_max: number
    taken_at: Timestamp
    leased_until: Timestamp
  }
  callback_attempt: {
    callback_id: string
    number: number
    planned_at: Timestamp
    started_at: Timestamp
    duration_ms: number
    outcome: string
    http_status: Nullable<number>
    next_at: NullableTimestamp
    address: Nullable<string>
    answer: Nullable<Buffer>
    failure: Nullable<string>
  }
  callback_origin: {
    origin: string
    breaker: Generated<'closed' | 'open' | 'half-open'>
    breaker_until: NullableTimestamp
    failures_in_row: Generated<number>
    minutes: Generated<Json<CallTally[]>>
    tokens: Nullable<number>
    tokens_at: NullableTimestamp
    last_success_at: NullableTimestamp
    last_failure_at: NullableTimestamp
    last_outcome: Nullable<string>
  }
  callback_secret: {
    id: string
    consumer_id: string
    secret_sealed: Buffer
    created_at: Timestamp
    expires_at: NullableTimestamp
  }
}

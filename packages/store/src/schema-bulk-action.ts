import type {
  BulkActionKind,
  BulkItemOutcome,
  StoredBulkActionState,
} from '@despatch/domain/bulk-action/bulk-action'
import type { Generated, GeneratedAlways } from 'kysely'
import type { Nullable, NullableJson, NullableTimestamp, Timestamp } from './schema-columns.ts'

/** The tables of bulk actions. */
export type BulkActionSchema = {
  bulk_action: {
    id: string
    position: GeneratedAlways<number>
    action: BulkActionKind
    reason: string
    state: Generated<StoredBulkActionState>
    digest: string
    print_job_count: number
    needs_second_person: boolean
    planned_by: string
    planned_at: Timestamp
    confirmed_by: Nullable<string>
    confirmed_at: NullableTimestamp
    stopped_by: Nullable<string>
    stopped_at: NullableTimestamp
    ended_at: NullableTimestamp
    matching: NullableJson<Record<string, unknown>>
    matching_hash: Nullable<Buffer>
    done_count: Nullable<number>
    refused_count: Nullable<number>
    absent_count: Nullable<number>
    not_begun_count: Nullable<number>
  }
  bulk_action_item: {
    bulk_action_id: string
    position: number
    print_job_key: string
    print_job_id: Nullable<string>
    outcome: Nullable<BulkItemOutcome>
    why_not: Nullable<string>
    at: NullableTimestamp
    failures: Generated<number>
    failure: Nullable<string>
    retry_at: NullableTimestamp
  }
}

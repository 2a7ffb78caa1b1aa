import type { Capabilities } from '@despatch/domain/print-run/capabilities'
import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import type { DespatchProperty } from '@despatch/domain/print-run/despatch-properties'
import type {
  DocumentOutcome,
  DocumentProgress,
} from '@despatch/domain/print-run/document-progress'
import type { ItemEventType } from '@despatch/domain/print-run/item-event'
import type { MailFormat } from '@despatch/domain/print-run/mail-format'
import type { WeighedCount } from '@despatch/domain/print-run/posting-counts'
import type {
  ReturnDisposition,
  ReturnReasonCode,
} from '@despatch/domain/print-run/returned-letter'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import type { Materials } from '@despatch/domain/print-run/weight'
import type { Generated } from 'kysely'
import type {
  Day,
  Json,
  Nullable,
  NullableJson,
  NullableTimestamp,
  Timestamp,
} from './schema-columns.ts'

/** How a provider receives its work: it polls over HTTP, or files are put into its folders. */
export type ProviderExchange = 'http' | 'file-drop'
export type ReprintState = 'WAITING' | 'AUTHORISED' | 'REFUSED'
export type RecallState = 'OPEN' | 'ACCEPTED' | 'PARTLY_ACCEPTED' | 'REJECTED'
export type Plex = 'simplex' | 'duplex'

/** The tables of providers, print runs and their documents. */
export type FulfilmentSchema = {
  provider: {
    id: string
    name: string
    created_at: Timestamp
    exchange: Generated<ProviderExchange>
    last_seen_at: NullableTimestamp
    away_seconds_max: Nullable<number>
  }
  print_site: {
    provider_id: string
    print_location: string
    enabled: Generated<boolean>
    share: Generated<number>
    capabilities: Json<Capabilities>
    reprints_free_max: Generated<number>
    reprints_free_percent: Generated<number>
    routing_credit: Generated<number>
    created_at: Timestamp
  }
  print_run: {
    batch_number: string
    provider_id: string
    print_location: string
    despatch_method: PrintRunDespatchMethod
    stationery: string
    materials: NullableJson<Materials>
    plex: Plex
    colour: boolean
    state: PrintRunState
    opened_at: Timestamp
    released_at: NullableTimestamp
    document_count: Nullable<number>
    sheet_count: Nullable<number>
    page_count: Nullable<number>
    byte_count: Nullable<number>
    claimed_at: NullableTimestamp
    lease_until: NullableTimestamp
    manifest_version: Nullable<number>
    manifest_digest: Nullable<Buffer>
    acknowledged_at: NullableTimestamp
    acknowledgement_hash: Nullable<Buffer>
    refused_count: Nullable<number>
    posted_at: NullableTimestamp
    closed_at: NullableTimestamp
    format: Generated<MailFormat>
    print_epoch: Generated<number>
    cut_off_at: NullableTimestamp
    expected_despatch_on: Nullable<Day>
    release_asked_at: NullableTimestamp
    release_asked_by: Nullable<string>
    refusal: Nullable<string>
    voided_at: NullableTimestamp
    void_reason: Nullable<string>
    moved_from: Nullable<string>
    closed_by: Nullable<string>
    template_jobs: Generated<string[]>
    gathered_count: Nullable<number>
    sheets_max: Nullable<number>
    release_began_at: NullableTimestamp
    release_lease_until: NullableTimestamp
    release_failures: Generated<number>
    release_fault: Nullable<string>
    release_tried_at: NullableTimestamp
    release_retry_at: NullableTimestamp
  }
  print_run_claim: {
    provider_id: string
    claim_key: string
    batch_number: string
    request_hash: Buffer
    response: Buffer
    created_at: Timestamp
  }
  posting: {
    id: string
    provider_id: string
    posting_key: string
    request_hash: Buffer
    carrier: string
    handover_at: Timestamp
    manifest_number: Nullable<string>
    despatch_properties: Json<DespatchProperty[]>
    counts: NullableJson<WeighedCount[]>
    document_count: number
    sheet_count: number
    created_at: Timestamp
    confirmed_at: NullableTimestamp
    confirmed_count: Nullable<number>
  }
  print_run_document: {
    batch_number: string
    document_id: string
    print_job_key: string
    fulfilment_job_id: Nullable<string>
    sequence: Nullable<number>
    attempt: Generated<number>
    sha256: Buffer
    bytes: number
    pages: number
    sheets: number
    posting_id: Nullable<string>
    serial_number: Nullable<string>
    despatch_properties: NullableJson<DespatchProperty[]>
    outcome: Nullable<DocumentOutcome>
    removed_at: NullableTimestamp
    progress: Nullable<DocumentProgress>
    voided_at: NullableTimestamp
    mailmark_item_id: Nullable<string>
    first_attempt: Generated<number>
    routed_on: Nullable<Day>
  }
  posting_run: {
    posting_id: string
    batch_number: string
    document_count: number
    sheet_count: number
  }
  posting_evidence: {
    id: string
    posting_id: string
    file_name: string
    media_type: string
    created_at: Timestamp
  }
  print_run_event: {
    provider_id: string
    event_id: string
    event_hash: Buffer
    batch_number: string
    document_id: string
    attempt: number
    type: ItemEventType
    result: 'APPLIED' | 'RECORDED'
    occurred_at: Timestamp
    received_at: Timestamp
    serial_number: Nullable<string>
    reason_code: Nullable<string>
    reason: Nullable<string>
    despatch_properties: NullableJson<DespatchProperty[]>
  }
  reprint: {
    id: Generated<number>
    batch_number: string
    document_id: string
    attempt: number
    state: ReprintState
    reason_code: string
    reason: Nullable<string>
    requested_by: string
    requested_at: Timestamp
    decided_by: Nullable<string>
    decided_at: NullableTimestamp
    decision_reason: Nullable<string>
  }
  recall_request: {
    id: string
    batch_number: string
    provider_id: string
    state: Generated<RecallState>
    reason: string
    requested_by: string
    requested_at: Timestamp
    answered_at: NullableTimestamp
    answer_reason: Nullable<string>
    answer_hash: Nullable<Buffer>
  }
  recall_document: {
    recall_id: string
    document_id: string
    state: Generated<'ASKED' | 'RECALLED' | 'TOO_LATE'>
  }
  returned_letter: {
    provider_id: string
    return_id: string
    return_hash: Buffer
    print_job_key: string
    batch_number: string
    document_id: string
    reason_code: ReturnReasonCode
    disposition: ReturnDisposition
    scanned_at: Timestamp
    received_at: Timestamp
  }
  serial_number: {
    job_type: string
    serial_number: string
    provider_id: string
    state: 'IN_STOCK' | 'USED' | 'SPOILED'
    batch_number: Nullable<string>
    document_id: Nullable<string>
    attempt: Nullable<number>
    reason: Nullable<string>
    issued_as: 'stock' | 'report'
    issued_by: string
    issued_at: Timestamp
    changed_at: Timestamp
  }
}

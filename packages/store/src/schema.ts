import type { Address, PrintableAddress } from '@despatch/domain/address/address'
import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import type { Gender } from '@despatch/domain/driver/values'
import type { EnquiryOutcome, EnquiryService } from '@despatch/domain/enquiry/audited-enquiry'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { PrintJobNote } from '@despatch/domain/print-job/note'
import type { CallbackParams, CustomParam, StandardParams } from '@despatch/domain/print-job/params'
import type { PrintJobStatus, Transition } from '@despatch/domain/print-job/status'
import type { Capabilities } from '@despatch/domain/print-run/capabilities'
import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import type {
  DocumentOutcome,
  DocumentProgress,
} from '@despatch/domain/print-run/document-progress'
import type { ItemEventType } from '@despatch/domain/print-run/item-event'
import type { MailFormat } from '@despatch/domain/print-run/mail-format'
import type {
  ReturnDisposition,
  ReturnReasonCode,
} from '@despatch/domain/print-run/returned-letter'
import type { PrintRunState } from '@despatch/domain/print-run/state'
import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely'

type Json<T> = JSONColumnType<T & object, string, string>
type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>
type Timestamp = ColumnType<Date, Date | undefined, Date>
type NullableTimestamp = ColumnType<Date | null, Date | null | undefined, Date | null>
type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>
/** A calendar day as YYYY-MM-DD. */
type Day = string

export type Role = 'consumer' | 'provider' | 'operator' | 'admin'
export type Production = 'letter' | 'as-supplied'
export type Plex = 'simplex' | 'duplex'
/** Where our address block stands: on a page of ours in front of the files, or on the first page of the first file. */
export type AddressPlacement = 'own-page' | 'first-page'
/** How a provider takes its work: it asks over HTTP, or files are laid into its folders. */
export type ProviderExchange = 'http' | 'file-drop'
export type ReprintState = 'WAITING' | 'AUTHORISED' | 'REFUSED'
export type RecallState = 'OPEN' | 'ACCEPTED' | 'PARTLY_ACCEPTED' | 'REJECTED'
export type CallbackKind = 'status' | 'return'
export type CallbackState = 'DUE' | 'DELIVERED' | 'ABANDONED'
export type RecordSetKind = 'driver' | 'vehicle' | 'uat-driver'
export type RecordSetMode = 'replace' | 'update'
export type RecordSetState =
  | 'LOADING'
  | 'PUBLISHING'
  | 'CURRENT'
  | 'RETIRED'
  | 'DROPPED'
  | 'ABANDONED'
export type DespatchProperty = { key: string; value: string }

/** The address as stored: the kind that was submitted. */
export type StoredStandardParams = StandardParams & { address: Address }

/** Of a driver, what the enquiry itself answers. */
export type StoredDriverRecord = Pick<
  DriverRecord,
  'driver' | 'licence' | 'entitlement' | 'endorsements' | 'token'
>
/** Of a driver, what the source of CPC data answers. */
export type StoredCpc = Required<Pick<DriverRecord, 'cpcs'>> & Pick<DriverRecord, 'testPass'>
/** Of a driver, what the source of tachograph data answers. */
export type StoredTachograph = Required<Pick<DriverRecord, 'tachoCards'>> &
  Pick<DriverRecord, 'tachoUnderPreviousDln'>

export type Schema = {
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
    routed_on: Nullable<Day>
    routed_documents: Generated<number>
    created_at: Timestamp
  }
  consumer: {
    id: string
    name: string
    user_name: string
    password_hash: string
    password_expires_on: Day
    api_key_prefix: string
    api_key_hash: Buffer
    api_key_expires_on: Day
    roles: Role[]
    provider_id: Nullable<string>
    disabled_at: NullableTimestamp
    created_at: Timestamp
    email: Nullable<string>
    services: Generated<string[]>
    usage_plan: Generated<string>
    password_changed_at: Timestamp
    api_key_changed_at: Timestamp
    api_key_change_id: Nullable<string>
    api_key_change_began_at: NullableTimestamp
  }
  usage_plan: {
    name: string
    service: string
    requests_per_second: number
    burst: number
    requests_per_day: Nullable<number>
  }
  sign_in_failure: {
    kind: 'user' | 'source'
    subject_hash: Buffer
    failures: number
    last_failed_at: Timestamp
  }
  recovery_code: {
    consumer_id: string
    code_hash: Buffer
    expires_at: Timestamp
    tries_left: number
    used_at: NullableTimestamp
    issued_at: Date[]
  }
  credential_warning: {
    consumer_id: string
    credential: 'password' | 'api-key'
    expires_on: Day
    days: number
    told_at: Timestamp
  }
  audit_event: {
    id: Generated<number>
    at: Timestamp
    actor: string
    action: string
    consumer_id: Nullable<string>
    detail: NullableJson<Record<string, unknown>>
  }
  contract: {
    id: string
    consumer_id: string
    job_type: string
    template_reference: string
    production: Production
    supplied_file_key: Nullable<string>
    prints_handling_instruction: Generated<boolean>
    plex: Generated<Plex>
    colour: Generated<boolean>
    pages_max: Generated<number>
    callback_statuses: Generated<PrintJobStatus[]>
    created_at: Timestamp
    retired_at: NullableTimestamp
    rule_set: Generated<string>
    address_placement: Generated<AddressPlacement>
    marks: Generated<boolean>
    stationery: Generated<string>
    template_data: Generated<boolean>
    callback_returns: Generated<boolean>
  }
  signing_key: {
    kid: string
    public_jwk: Json<Record<string, unknown>>
    private_key_sealed: Buffer
    created_at: Timestamp
    retired_at: NullableTimestamp
  }
  print_job: {
    key: string
    consumer_id: string
    id: string
    status: PrintJobStatus
    comment: Nullable<string>
    contract_id: string
    standard_params: Json<StoredStandardParams>
    custom_params: NullableJson<CustomParam[]>
    callback_params: NullableJson<CallbackParams>
    callback_authentication_sealed: Nullable<Buffer>
    callback_statuses: PrintJobStatus[]
    correlation_id: string
    idempotency_key: Nullable<string>
    request_fingerprint: Buffer
    event_sequence: Generated<number>
    callback_sequence: Generated<number>
    step_epoch: Generated<number>
    step_starts: Generated<number>
    step_failures: Generated<number>
    step_failure: Nullable<string>
    lease_until: NullableTimestamp
    next_check_at: NullableTimestamp
    parked_at: NullableTimestamp
    printable_address: NullableJson<PrintableAddress>
    document_sha256: Nullable<Buffer>
    document_bytes: Nullable<number>
    document_pages: Nullable<number>
    document_sheets: Nullable<number>
    batch_number: Nullable<string>
    fulfilment_job_id: Nullable<string>
    document_id: Nullable<string>
    print_location: Nullable<string>
    serial_number: Nullable<string>
    despatch_properties: NullableJson<DespatchProperty[]>
    created_at: Timestamp
    updated_at: Timestamp
    despatched_at: NullableTimestamp
    deleted_at: NullableTimestamp
    document_number: Nullable<number>
    route_after: NullableTimestamp
  }
  upload: {
    id: string
    consumer_id: string
    expires_at: Timestamp
    print_job_key: Nullable<string>
    created_at: Timestamp
  }
  print_job_file: {
    print_job_key: string
    position: number
    file_id: string
    source: 'upload' | 'custom-param'
    upload_id: Nullable<string>
    sha256: Nullable<Buffer>
    bytes: Nullable<number>
    media_type: Nullable<string>
    pinned_at: NullableTimestamp
  }
  print_job_event: {
    print_job_key: string
    sequence: number
    transition: Transition | 'submit' | 'delete' | 'park' | 'resume' | PrintJobNote
    status: PrintJobStatus
    at: Timestamp
    actor: string
    reason: Nullable<string>
    findings: NullableJson<Finding[]>
  }
  outbox: {
    id: Generated<number>
    queue: string
    subject: string
    epoch: number
    due_at: Timestamp
  }
  print_run: {
    batch_number: string
    provider_id: string
    print_location: string
    despatch_method: PrintRunDespatchMethod
    stationery: string
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
  callback: {
    id: string
    print_job_key: string
    sequence: number
    status: PrintJobStatus
    body: Buffer
    state: Generated<CallbackState>
    attempts: Generated<number>
    first_attempt_at: NullableTimestamp
    due_at: NullableTimestamp
    attempt_epoch: Generated<number>
    lease_until: NullableTimestamp
    created_at: Timestamp
    ended_at: NullableTimestamp
    kind: Generated<CallbackKind>
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
  }
  record_set: {
    id: Generated<number>
    kind: RecordSetKind
    mode: RecordSetMode
    state: RecordSetState
    source_sha256: Buffer
    rows_read: Generated<number>
    rows_rejected: Generated<number>
    record_count: Nullable<number>
    created_by: string
    created_at: Timestamp
    published_at: NullableTimestamp
    ended_at: NullableTimestamp
  }
  record_set_reject: { set_id: number; row_number: number; reasons: string[] }
  vehicle_record: { set_id: number; registration_number: string; record: Json<VehicleRecord> }
  driver_record: {
    set_id: number
    driving_licence_number: string
    record: Json<StoredDriverRecord>
    cpc: NullableJson<StoredCpc>
    tachograph: NullableJson<StoredTachograph>
    photograph: Nullable<Buffer>
  }
  driver_search: {
    set_id: number
    driving_licence_number: string
    identity: number
    first_names: Nullable<string>
    last_name: string
    date_of_birth: Nullable<Day>
    previous_dates_of_birth: Generated<Day[]>
    postcode: Nullable<string>
    gender: Gender
    last_words: GeneratedAlways<string>
    last_sound: GeneratedAlways<string>
    first_words: GeneratedAlways<string | null>
    first_sound: GeneratedAlways<string | null>
  }
  enquiry_audit: {
    id: Generated<number>
    at: Timestamp
    consumer_id: string
    service: EnquiryService
    number_hash: Nullable<Buffer>
    outcome: EnquiryOutcome
    status: number
    correlation_id: string
    purpose: Nullable<string>
    asked: Generated<string[]>
    results: Nullable<number>
  }
}

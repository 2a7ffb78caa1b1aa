import type { Role } from '@despatch/domain/access/caller'
import type { SignInSubjectKind } from '@despatch/domain/access/lockout'
import type { Address, PrintableAddress } from '@despatch/domain/address/address'
import type { Addressee } from '@despatch/domain/address/addressee'
import type { DriverRecord } from '@despatch/domain/driver/driver-record'
import type { Gender } from '@despatch/domain/driver/values'
import type { EnquiryOutcome, EnquiryService } from '@despatch/domain/enquiry/audited-enquiry'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { PrintJobNote } from '@despatch/domain/print-job/note'
import type { CustomParam, StandardParams } from '@despatch/domain/print-job/params'
import type { PrintJobStatus, Transition } from '@despatch/domain/print-job/status'
import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import type { DespatchProperty } from '@despatch/domain/print-run/despatch-properties'
import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import type { Lane, WorkQueue } from '@despatch/domain/work/lane'
import type { Generated, GeneratedAlways } from 'kysely'
import type { BulkActionSchema } from './schema-bulk-action.ts'
import type { CallbackSchema, StoredCallbackParams } from './schema-callback.ts'
import type {
  Day,
  Json,
  Nullable,
  NullableJson,
  NullableTimestamp,
  Timestamp,
} from './schema-columns.ts'
import type { ContractSchema } from './schema-contract.ts'
import type { FulfilmentSchema } from './schema-fulfilment.ts'

export type RecordSetKind = 'driver' | 'vehicle' | 'uat-driver'
export type RecordSetMode = 'replace' | 'update'
export type RecordSetState =
  | 'LOADING'
  | 'PUBLISHING'
  | 'CURRENT'
  | 'RETIRED'
  | 'DROPPED'
  | 'ABANDONED'

/** The params as stored, with the address in the form that was submitted. */
export type StoredStandardParams = StandardParams & { address: Address }

/** The part of a driver's record that the enquiry returns. */
export type StoredDriverRecord = Pick<
  DriverRecord,
  'driver' | 'licence' | 'entitlement' | 'endorsements' | 'token'
>
/** The part of a driver's record that the CPC data source returns. */
export type StoredCpc = Required<Pick<DriverRecord, 'cpcs'>> & Pick<DriverRecord, 'testPass'>
/** The part of a driver's record that the tachograph data source returns. */
export type StoredTachograph = Required<Pick<DriverRecord, 'tachoCards'>> &
  Pick<DriverRecord, 'tachoUnderPreviousDln'>

/** All tables. */
export type Schema = FulfilmentSchema &
  BulkActionSchema &
  CallbackSchema &
  ContractSchema & {
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
      token_generation: Generated<number>
      networks: Generated<string[]>
    }
    /** A view. Reading it reveals no password hash. */
    consumer_password: {
      consumer_id: GeneratedAlways<string>
      fingerprint: GeneratedAlways<Buffer>
    }
    usage_plan: {
      name: string
      service: string
      requests_per_second: number
      burst: number
      requests_per_day: Nullable<number>
      bytes_per_day: Nullable<number>
    }
    sign_in_failure: {
      kind: SignInSubjectKind
      subject_hash: Buffer
      failures: number
      last_failed_at: Timestamp
    }
    known_sign_in: {
      pair_hash: Buffer
      last_at: Timestamp
    }
    ended_session: {
      session_hash: Buffer
      ends_at: Timestamp
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
    }
    audit_event: {
      id: Generated<number>
      at: Timestamp
      actor: string
      action: string
      consumer_id: Nullable<string>
      detail: NullableJson<Record<string, unknown>>
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
      /** Null: as submitted. `despatchMethodOf` has the method. */
      produced_as: Nullable<PrintRunDespatchMethod>
      custom_params: NullableJson<CustomParam[]>
      callback_params: NullableJson<StoredCallbackParams>
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
      parked_at: NullableTimestamp
      printable_address: NullableJson<PrintableAddress>
      address_override: NullableJson<Addressee>
      address_overridden_at: NullableTimestamp
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
      document_number: Generated<number>
      route_after: NullableTimestamp
      callback_destination_sealed: Nullable<Buffer>
      callback_origin: Nullable<string>
      callback_gone_at: NullableTimestamp
      not_before: NullableTimestamp
      held_at: NullableTimestamp
      held_by: Nullable<string>
      hold_reason: Nullable<string>
      hold_ended_at: NullableTimestamp
      purge_began_at: NullableTimestamp
      purged_at: NullableTimestamp
      trace_context: Nullable<string>
      unknown_members: Nullable<string[]>
      template: Nullable<string>
      template_languages: Nullable<string[]>
      /** 64-bit integers, which JavaScript numbers cannot hold: for SQL only. */
      search_terms: Nullable<never>
    }
    search_key: {
      id: number
      key_sealed: Buffer
    }
    upload: {
      id: string
      consumer_id: string
      expires_at: Timestamp
      print_job_key: Nullable<string>
      oversized_bytes: Nullable<number>
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
    doomed_object: {
      kind: 'file' | 'document'
      sha256: Buffer
      cause: 'purged' | 'replaced' | 'unnamed' | 'orphaned'
      since: Timestamp
      doom: Generated<number>
      is_due: Generated<boolean>
      is_barred: Generated<boolean>
      lease_until: NullableTimestamp
    }
    orphan_walk: {
      prefix: string
      after: Nullable<string>
      started_at: NullableTimestamp
      is_complete: Generated<boolean>
      lease_until: NullableTimestamp
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
    letter_waiting: {
      lane: Lane
      consumer_id: string
      seq: GeneratedAlways<number>
      subject: string
      version: number
      since: Timestamp
    }
    letter_later: {
      subject: string
      version: number
      lane: Lane
      consumer_id: string
      due_at: Timestamp
      waits_for: Nullable<string>
    }
    letter_batch: {
      id: Generated<string>
      lane: Lane
      queue: WorkQueue
      is_first: boolean
      epoch: Generated<number>
      due_at: Timestamp
      waiting_since: Generated<Date>
      consumer_ids: string[]
      subjects: string[]
      versions: number[]
      leased_until: NullableTimestamp
    }
    unstored_document: {
      sha256: Buffer
      beginning_sha256: Buffer | null
      rest: Buffer
      since: Timestamp
    }
    document_beginning: {
      sha256: Buffer
      bytes: Buffer
    }
    letter_spent: {
      id: GeneratedAlways<number>
      lane: Lane
      consumer_id: string
      size: number
      ms: number
    }
    periodic_task: {
      service: string
      name: string
      every_ms: number
      owner: string
      seen_at: Generated<Date>
      looked_at: NullableTimestamp
      began_at: NullableTimestamp
      ran_at: NullableTimestamp
      took_ms: number | null
      failed_at: NullableTimestamp
      error: string | null
    }
    dependency_outage: {
      service: string
      dependency: string
      since: Timestamp
      seen_at: Timestamp
      reason: string
      ended_at: NullableTimestamp
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

import type { CallbackOrder } from '@despatch/domain/callback/callback-state'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import type { Generated } from 'kysely'
import type { Nullable, NullableTimestamp, Timestamp } from './schema-columns.ts'
import type { Plex } from './schema-fulfilment.ts'

export type Production = 'letter' | 'as-supplied'
/**
 * Where the address block that Despatch adds is placed: on a page of its own before the files, or on the first page of
 * the first file.
 */
export type AddressPlacement = 'own-page' | 'first-page'

/** The tables of contracts, and of the templates that they name. */
export type ContractSchema = {
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
    callback_order: Generated<CallbackOrder>
    callback_concurrency: Generated<number>
    hold_for_approval: Generated<boolean>
    retention_days: Nullable<number>
    strict: Generated<boolean>
    refused_rules: Generated<string[]>
    unknown_members: Generated<string>
    unreadable_files: Generated<string>
    letters_without_file: Generated<string>
    template: Nullable<string>
    template_languages: Nullable<string[]>
  }
  template_version: {
    template: string
    version: number
    template_id: Buffer
    title: string
    languages: string[]
    published_by: string
    published_at: Timestamp
  }
  template_file: {
    template: string
    version: number
    path: string
    bytes: Buffer
  }
}

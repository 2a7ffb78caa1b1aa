import type { SchemaGrants } from '@despatch/postgres/apply-grants'

/** What authenticating a caller reads: neither password hashes nor addresses. */
const caller =
  'select (id, name, user_name, password_expires_on, api_key_hash, api_key_expires_on, roles, services, usage_plan, provider_id, disabled_at, api_key_change_id, token_generation, created_at, networks)'
const verificationKeys = 'select (kid, public_jwk, created_at, retired_at)'

/**
 * The privileges of each service's role on each table, view, sequence and function that runs with the rights of its
 * owner. Every migration of the database ends with applying them. While both releases run, the previous one needs its
 * privileges too: remove a privilege one release after the last statement that needs it.
 * A table whose rows are locked (`for update`) requires `update`.
 */
export const storeGrants = {
  schema: 'public',
  relations: {
    audit_event: {
      administration: 'select, insert',
      fulfilment: 'insert',
      'print-request': 'insert',
      'thirdparty-access': 'insert',
    },
    bulk_action: {
      administration: 'select, insert, update',
      'ops-console': 'select (id, needs_second_person, planned_at, position, state)',
      pipeline: 'select, update, delete',
    },
    bulk_action_item: {
      administration: 'select, insert, update',
      pipeline: 'select, delete',
    },
    callback: {
      administration: 'select, insert, update',
      callbacks: 'select, update',
      fulfilment: 'select, insert',
      'ops-console': 'select',
      pipeline: 'select, insert, update, delete',
      'print-request': 'select, insert, update',
    },
    callback_attempt: {
      administration: 'select',
      callbacks: 'select, insert',
      'ops-console': 'select',
      pipeline: 'select, update, delete',
      'print-request': 'select',
    },
    callback_batch: {
      administration: 'select',
      callbacks: 'select, insert, update, delete',
      'ops-console': 'select',
      'print-request': 'select',
    },
    callback_origin: {
      administration: 'select',
      callbacks: 'select, insert, update',
      'ops-console': 'select',
      pipeline: 'select, update, delete',
    },
    callback_position_seq: { callbacks: 'select' },
    callback_secret: {
      administration: 'select (consumer_id, created_at, expires_at, id, secret_sealed), update',
      callbacks: 'select (consumer_id, created_at, expires_at, secret_sealed)',
      'print-request': 'select (consumer_id, created_at, expires_at, id), insert, update, delete',
    },
    consumer: {
      administration: 'select, insert, update',
      'driver-find': caller,
      fulfilment: caller,
      'full-driver-enquiry': caller,
      'ops-console': caller,
      'print-request': caller,
      'thirdparty-access':
        'select, update (api_key_change_began_at, api_key_change_id, api_key_changed_at, api_key_expires_on, api_key_hash, api_key_prefix, password_changed_at, password_expires_on, password_hash, token_generation)',
      'vehicle-enquiry': caller,
    },
    consumer_password: {
      administration: 'select',
      'ops-console': 'select',
    },
    contract: {
      administration: 'select, insert, update',
      fulfilment: 'select',
      'ops-console': 'select',
      pipeline: 'select',
      'print-request': 'select',
    },
    count_change: {
      administration: 'insert',
      callbacks: 'insert',
      fulfilment: 'insert',
      pipeline: 'select, insert, delete',
      'print-request': 'insert',
    },
    count_difference: {},
    count_total: { pipeline: 'select, insert, update, delete' },
    credential_warning: { 'thirdparty-access': 'insert' },
    current_count: {
      administration: 'select',
      'ops-console': 'select',
      pipeline: 'select',
    },
    current_volume: {
      administration: 'select',
      'ops-console': 'select',
    },
    dependency_outage: {
      'ops-console': 'select',
      pipeline: 'select, insert, update, delete',
    },
    document_beginning: {
      administration: 'select',
      pipeline: 'select, insert',
      'print-request': 'select',
    },
    document_number: { 'print-request': 'usage' },
    doom_number: {
      administration: 'usage',
      pipeline: 'usage',
      'print-request': 'usage',
    },
    doomed_object: {
      administration: 'select, insert, update, delete',
      pipeline: 'select, insert, update, delete',
      'print-request': 'select, insert, update, delete',
    },
    driver_record: {
      administration: 'select',
      'driver-find': 'select',
      'driver-sources': 'select',
      'full-driver-enquiry': 'select',
    },
    driver_search: {
      administration: 'select',
      'driver-find': 'select',
    },
    ended_session: {
      administration: 'select, insert, delete',
      'ops-console': 'select',
    },
    enquiry_audit: {
      administration: 'select',
      'driver-find': 'insert',
      'full-driver-enquiry': 'insert',
      'vehicle-enquiry': 'insert',
    },
    enquiry_audit_id_seq: {
      'driver-find': 'usage',
      'full-driver-enquiry': 'usage',
      'vehicle-enquiry': 'usage',
    },
    known_sign_in: {
      administration: 'select, insert, update, delete',
      'thirdparty-access': 'select, insert, update, delete',
    },
    letter_partition: {},
    migration: { pipeline: 'select' },
    orphan_walk: { pipeline: 'select, update' },
    periodic_task: {
      administration: 'select, insert, update, delete',
      callbacks: 'select, insert, update, delete',
      fulfilment: 'select, insert, update, delete',
      'ops-console': 'select',
      pipeline: 'select, insert, update, delete',
      'thirdparty-access': 'select, insert, update, delete',
    },
    posting: {
      administration: 'select, insert, update',
      fulfilment: 'select, insert, update',
      'ops-console': 'select',
    },
    posting_evidence: {
      administration: 'select',
      fulfilment: 'select, insert',
    },
    posting_run: {
      administration: 'select, insert, update',
      fulfilment: 'select, insert, update',
    },
    print_job: {
      administration: 'select, update',
      callbacks:
        'select (callback_destination_sealed, callback_gone_at, callback_params, correlation_id, key, trace_context), update (callback_gone_at)',
      fulfilment: 'select, update',
      'ops-console': 'select',
      pipeline: 'select, update, delete',
      'print-request': 'select, insert, update',
      uat: 'select (key, standard_params)',
    },
    print_job_event: {
      administration: 'select, insert',
      fulfilment: 'select, insert',
      'ops-console': 'select',
      pipeline: 'select, insert, update',
      'print-request': 'select, insert',
    },
    print_job_file: {
      administration: 'select',
      fulfilment: 'select',
      pipeline: 'select, update, delete',
      'print-request': 'select, insert',
    },
    print_run: {
      administration: 'select, insert, update',
      fulfilment: 'select, update',
      'ops-console': 'select',
      pipeline: 'select, insert, update',
      'print-request': 'select',
    },
    print_run_claim: { fulfilment: 'select, insert' },
    print_run_document: {
      administration: 'select, insert, update',
      fulfilment: 'select, update',
      'ops-console': 'select',
      pipeline: 'select, insert, update, delete',
      'print-request': 'select, update',
      uat: 'select',
    },
    print_run_event: {
      administration: 'select',
      fulfilment: 'select, insert',
      pipeline: 'select, update, delete',
    },
    print_run_number: {
      administration: 'usage',
      pipeline: 'usage',
    },
    print_site: {
      administration: 'select, insert, update',
      fulfilment: 'select, update',
      'ops-console': 'select',
      pipeline: 'select, update',
    },
    provider: {
      administration: 'select, insert, update',
      fulfilment: 'select, update',
      'ops-console': 'select (id, created_at, last_seen_at, away_seconds_max)',
      pipeline: 'select',
    },
    recall_document: {
      administration: 'select, insert, update',
      fulfilment: 'select, update',
    },
    recall_request: {
      administration: 'select, insert, update',
      fulfilment: 'select, update',
      'ops-console': 'select',
    },
    record_set: {
      administration: 'select, insert, update',
      'driver-find': 'select',
      'driver-sources': 'select',
      'full-driver-enquiry': 'select',
      'vehicle-enquiry': 'select',
    },
    record_set_reject: { administration: 'select, insert' },
    recovery_code: { 'thirdparty-access': 'select, insert, update' },
    reprint: {
      administration: 'select, update',
      fulfilment: 'select, insert, update',
      'ops-console': 'select',
      pipeline: 'select, update, delete',
    },
    retention: {},
    retired_print_job: {
      pipeline: 'select, insert',
      'print-request': 'select',
    },
    returned_letter: {
      administration: 'select',
      fulfilment: 'select, insert',
      pipeline: 'select, delete',
    },
    search_key: {
      administration: 'select, insert, update',
      'print-request': 'select, insert',
    },
    search_term: {
      administration: 'select, insert, delete',
      pipeline: 'select, delete',
      'print-request': 'select, insert',
    },
    serial_number: {
      administration: 'select, insert, update',
      fulfilment: 'select, insert, update',
    },
    sign_in_failure: {
      administration: 'select, insert, update, delete',
      'thirdparty-access': 'select, insert, update, delete',
    },
    signing_key: {
      administration: 'select, insert, update',
      'driver-find': verificationKeys,
      fulfilment: verificationKeys,
      'full-driver-enquiry': verificationKeys,
      'print-request': verificationKeys,
      'thirdparty-access': 'select, insert',
    },
    template_file: {
      administration: 'select, insert',
      pipeline: 'select',
      'print-request': 'select',
    },
    template_version: {
      administration: 'select, insert',
      'ops-console': 'select',
      pipeline: 'select',
      'print-request': 'select',
    },
    unstored_document: {
      administration: 'select, update, delete',
      pipeline: 'select, insert, update, delete',
      'print-request': 'select',
    },
    upload: {
      pipeline: 'select, delete, update',
      'print-request': 'select, insert, update',
    },
    usage_count: {
      administration: 'select, insert, update, delete',
      'driver-find': 'select, insert, update, delete',
      fulfilment: 'select, insert, update, delete',
      'full-driver-enquiry': 'select, insert, update, delete',
      'print-request': 'select, insert, update, delete',
      'thirdparty-access': 'select, insert, update, delete',
      'vehicle-enquiry': 'select, insert, update, delete',
      pipeline: 'select, insert, update, delete',
    },
    usage_of_day: {
      administration: 'select',
      'driver-find': 'select, insert, update',
      'full-driver-enquiry': 'select, insert, update',
      'print-request': 'select, insert, update',
      'vehicle-enquiry': 'select, insert, update',
    },
    usage_plan: {
      administration: 'select, insert, update, delete',
      'driver-find': 'select',
      fulfilment: 'select',
      'full-driver-enquiry': 'select',
      'print-request': 'select',
      'thirdparty-access': 'select',
      'vehicle-enquiry': 'select',
    },
    vehicle_record: {
      administration: 'select',
      'vehicle-enquiry': 'select',
    },
    volume_change: {
      administration: 'insert',
      fulfilment: 'insert',
      pipeline: 'select, insert, delete',
      'print-request': 'insert',
    },
    volume_difference: {},
    volume_total: { pipeline: 'select, insert, update' },
    letter_batch: {
      administration: 'select, delete',
      'ops-console': 'select',
      pipeline: 'select, insert, update, delete',
    },
    letter_later: {
      administration: 'select, insert, update',
      'ops-console': 'select',
      pipeline: 'select, insert, update, delete',
    },
    letter_spent: { pipeline: 'select, insert, delete' },
    letter_waiting: {
      administration: 'select, insert',
      'ops-console': 'select',
      pipeline: 'select, insert, delete',
      'print-request': 'insert',
    },
    letter_waiting_seq_seq: { pipeline: 'select' },
  },
  functions: {
    attach_record_table: { administration: 'execute' },
    create_letter_partitions: { pipeline: 'execute' },
    delete_from_default_partitions: { pipeline: 'execute' },
    drop_letter_partitions: { pipeline: 'execute' },
    drop_record_set: { administration: 'execute' },
    oldest_transaction: { 'ops-console': 'execute' },
    prepare_record_set: { administration: 'execute' },
    purge_enquiry_audit: { pipeline: 'execute' },
  },
} as const satisfies SchemaGrants

/** Where predefined drivers have predefined outcomes, driver-find publishes their records. */
export const testEnvironmentGrants = {
  ...storeGrants,
  relations: {
    ...storeGrants.relations,
    record_set: { ...storeGrants.relations.record_set, 'driver-find': 'select, insert, update' },
  },
  functions: {
    ...storeGrants.functions,
    attach_record_table: { administration: 'execute', 'driver-find': 'execute' },
    prepare_record_set: { administration: 'execute', 'driver-find': 'execute' },
  },
} as const satisfies SchemaGrants

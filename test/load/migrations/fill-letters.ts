import type pg from 'pg'

/** The tables are filled after this migration, and the later ones are timed. */
export const filledAt = '0013_callback_product.sql'

/**
 * Fills the tables of letters as they were after that migration. Each letter is despatched and has a file, a callback
 * that was delivered by its first attempt, a document in a print run, and five events.
 */
export async function fillLetters(client: pg.Client, letters: number): Promise<void> {
  for (const statement of statements) {
    await client.query(statement.replaceAll(':letters', String(letters)))
  }
  await client.query('vacuum analyze')
}

const key = `lpad(to_hex(n), 32, '0')::uuid`
const at = `timestamptz '2026-01-01' + n * interval '5 seconds'`
const batch = `'R' || (100000 + n / 10000)`

const statements = [
  `insert into provider (id, name) values ('bench', 'Bench')`,
  `insert into consumer (id, name, user_name, password_hash, password_expires_on, api_key_prefix, api_key_hash,
     api_key_expires_on, roles)
   values (gen_random_uuid(), 'Bench', 'bench', '', '2099-01-01', '', '', '2099-01-01', '{consumer}')`,
  `insert into contract (id, consumer_id, job_type, template_reference, production)
   select gen_random_uuid(), id, 'LETTER', 'LETTER', 'letter' from consumer`,
  `insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_params, callback_statuses,
     correlation_id, request_fingerprint, event_sequence, callback_sequence, step_epoch, printable_address,
     document_sha256, document_bytes, document_pages, document_sheets, batch_number, fulfilment_job_id, document_id,
     print_location, created_at, updated_at, despatched_at)
   select ${key}, consumer.id, 'letter-' || n, 'DESPATCHED', contract.id,
     json_build_object('jobType', 'LETTER', 'templateReference', 'LETTER', 'recipientName', 'Ms Rosalind Appleyard ' || n,
       'address', json_build_object('unstructuredAddress', json_build_object('line1', n || ' Mill Lane', 'line5', 'SWINDON',
         'postcode', 'SN1 1AA'))),
     '{"target":"https://consumer.invalid/print-callbacks"}', '{DESPATCHED,REJECTED}', 'letter-' || n,
     sha256(n::text::bytea), 5, 1, 2, json_build_object('line1', n || ' Mill Lane', 'line5', 'SWINDON', 'postcode', 'SN1 1AA'),
     sha256(n::text::bytea), 30000, 2, 1, ${batch}, ${batch} || '-001', 'D' || n, 'BENCH', ${at}, ${at}, ${at}
   from generate_series(1, :letters) n, consumer, contract`,
  `insert into print_job_file (print_job_key, position, file_id, source, upload_id, sha256, bytes, media_type, pinned_at)
   select ${key}, 1, 'enclosure', 'upload', ${key}, sha256(n::text::bytea), 30000, 'application/pdf', ${at}
   from generate_series(1, :letters) n`,
  `insert into print_job_event (print_job_key, sequence, transition, status, at, actor)
   select ${key}, step.sequence, step.transition, step.status, ${at}, 'bench'
   from generate_series(1, :letters) n, (values (1, 'submit', 'QUARANTINE'), (2, 'release', 'VALIDATING'),
     (3, 'accept', 'PENDING'), (4, 'produce', 'PRODUCTION'), (5, 'despatch', 'DESPATCHED')) as step (sequence, transition, status)`,
  `insert into callback (id, consumer_id, origin, print_job_key, sequence, status, body, state, attempts, first_attempt_at, created_at, ended_at)
   select ${key}, consumer.id, 'https://consumer.invalid', ${key}, 1, 'DESPATCHED', convert_to(repeat('b', 400), 'UTF8'), 'DELIVERED', 1, ${at}, ${at}, ${at}
   from generate_series(1, :letters) n, consumer`,
  `insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome, http_status)
   select ${key}, 1, ${at}, ${at}, 20, 'delivered', 204 from generate_series(1, :letters) n`,
  `insert into print_run (batch_number, provider_id, print_location, despatch_method, stationery, plex, colour, state,
     claimed_at, manifest_version, manifest_digest, closed_at)
   select 'R' || n, 'bench', 'BENCH', 'SECOND', 'A4-PLAIN', 'duplex', true, 'CLOSED', now(), 1, '', now()
   from generate_series(100000, 100000 + :letters / 10000) n`,
  `insert into posting (id, provider_id, posting_key, request_hash, carrier, handover_at, despatch_properties,
     document_count, sheet_count)
   select gen_random_uuid(), 'bench', batch_number, '', 'Post', now(), '{}', 10000, 10000 from print_run`,
  `insert into print_run_document (batch_number, document_id, print_job_key, fulfilment_job_id, sequence, sha256, bytes,
     pages, sheets, posting_id, outcome)
   select ${batch}, 'D' || n, ${key}, ${batch} || '-001', n, sha256(n::text::bytea), 30000, 2, 1, posting.id, 'DESPATCHED'
   from generate_series(1, :letters) n join posting on posting.posting_key = ${batch}`,
]

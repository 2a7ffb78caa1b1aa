import type { StoredConsumer } from '@despatch/testing/print-job-builders'
import type pg from 'pg'

/** The properties of a composed letter. */
export type SeededDocument = { sha256: string; bytes: number; pages: number; sheets: number }

export type Seed = {
  consumer: StoredConsumer
  documents: readonly SeededDocument[]
  /** The run that despatched the print jobs. Absent: they are PENDING. */
  batchNumber?: string
}

const transitions = [
  ['submit', 'QUARANTINE', 'consumer'],
  ['release', 'VALIDATING', 'pipeline'],
  ['accept', 'PENDING', 'pipeline'],
  ['produce', 'PRODUCTION', 'provider:bench'],
  ['despatch', 'DESPATCHED', 'provider:bench'],
] as const
const pendingTransitions = 3

/**
 * Saves print jobs as they are after the pipeline, or after their posting, with their timelines. Each has its own
 * recipient and address, asks for callbacks, and has no custom parameters. The keys begin with the time, as those of
 * intake do. Without search terms, the administration service would lock them to add some.
 */
export async function seedPrintJobs(pool: pg.Pool, seed: Seed): Promise<void> {
  const { consumer, documents, batchNumber } = seed
  const events = transitions.slice(0, batchNumber ? transitions.length : pendingTransitions)
  const [, status] = events.at(-1)!
  await pool.query(
    `with document as (
      select * from unnest($1::text[], $2::integer[], $3::integer[], $4::integer[]) with ordinality
        as row (sha256, bytes, pages, sheets, place)
    ), letter as (
      select document.*, nextval('document_number') as number,
        (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
          || '7' || substr(md5(random()::text), 1, 19))::uuid as key,
        chr(65 + (place * 7 % 26)::integer) || chr(65 + (place * 11 % 26)::integer) || (place % 30 + 1)
          || ' ' || (place % 9 + 1) || 'QX' as postcode
      from document
    ), job as (
      insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_params, callback_origin,
        callback_statuses, correlation_id, request_fingerprint, event_sequence, step_epoch, printable_address,
        document_sha256, document_bytes, document_pages, document_sheets, document_number, created_at, updated_at,
        batch_number, fulfilment_job_id, document_id, print_location, despatched_at, search_terms)
      select key, $5, key::text, $7, $6, json_build_object('jobType', 'LETTER', 'templateReference', 'LETTER',
          'businessIdentifier', 'CASE-' || number, 'recipientName', 'Ms Rosalind Appleyard ' || number,
          'address', json_build_object('unstructuredAddress', json_build_object(
            'line1', place || ' Mill Lane', 'line2', 'Upper Stratton', 'line5', 'SWINDON', 'postcode', postcode))),
        '{"target":"https://consumer.invalid/print-callbacks"}', 'https://consumer.invalid', '{DESPATCHED,REJECTED}', key::text,
        sha256(number::text::bytea), $8, 2, json_build_object('line1', place || ' Mill Lane',
          'line2', 'Upper Stratton', 'line5', 'SWINDON', 'postcode', postcode, 'dps', '1A',
          'recipientLine1', 'Ms Rosalind Appleyard ' || number, 'recipientLine2', ''),
        decode(sha256, 'hex'), bytes, pages, sheets, number, clock_timestamp(), clock_timestamp(),
        $9::text, $9::text || '-001', case when $9::text is not null then 'D' || number end,
        case when $9::text is not null then 'BENCH' end, case when $9::text is not null then now() end, '{}'
      from letter
      returning key
    )
    insert into print_job_event (print_job_key, sequence, transition, status, actor)
    select key, step.sequence, step.transition, step.status, step.actor
    from job cross join unnest($10::text[], $11::text[], $12::text[]) with ordinality
      as step (transition, status, actor, sequence)`,
    [
      documents.map(({ sha256 }) => sha256),
      documents.map(({ bytes }) => bytes),
      documents.map(({ pages }) => pages),
      documents.map(({ sheets }) => sheets),
      consumer.consumerId,
      consumer.contractId,
      status,
      events.length,
      batchNumber ?? null,
      ...[0, 1, 2].map((column) => events.map((event) => event[column])),
    ],
  )
}

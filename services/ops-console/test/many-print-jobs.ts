import type { Database } from '@despatch/store/database'
import { correctCounts } from '@despatch/testing/kept-counts'
import { insertConsumer } from '@despatch/testing/print-job-builders'

/** The number of print jobs in each status. */
export const mixture = {
  QUARANTINE: 100,
  VALIDATING: 400,
  PENDING: 600,
  PRODUCTION: 900,
  DESPATCHED: 7_500,
  REJECTED: 500,
} as const

/** Among those in VALIDATING, some fail and are retried, and some are parked. */
export const parked = 40
const failing = 60

/**
 * Fills a database with 10,000 print jobs of the last week, as in a busy deployment: with timelines, 460 print runs
 * with their postings, and callbacks to 40 origins, some of which fail.
 */
export async function fillWithPrintJobs({ db, pool }: Database): Promise<void> {
  const { consumerId, contractId } = await insertConsumer(db)
  const bounds = Object.entries(mixture).map(([status, count]) => ({ status, count }))
  const client = await pool.connect()
  try {
    await client.query('begin')
    // switches foreign keys off, because the statements below make up the references
    await client.query('set local session_replication_role = replica')
    await client.query(printRuns)
    await client.query(postings)
    await client.query(printJobs, [consumerId, contractId, JSON.stringify(bounds)])
    await client.query(batches)
    await client.query(callbacks)
    await client.query(attempts)
    await client.query(origins)
    // the plot of the last hour is counted from events
    await client.query('set local session_replication_role = origin')
    await client.query(events)
    await client.query('commit')
    await client.query('vacuum analyze')
  } finally {
    client.release()
  }
  await correctCounts(db)
}

// The first print jobs are the newest: 1 is under way, 10,000 is a week old. A key begins with the time of submission.
const printJobs = `
  with slice as (
    select status, sum(count) over (order by place) - count as before, count
    from rows from (json_to_recordset($3::json) as (status text, count integer)) with ordinality as given (status, count, place)
  ), made as (
    select slice.status, n, row_number() over (partition by slice.status order by n) as place,
      now() - n * interval '52 seconds' as at
    from generate_series(1, (select sum(count)::integer from slice)) as n
    join slice on n > slice.before and n <= slice.before + slice.count
  )
  insert into print_job (key, consumer_id, id, status, contract_id, standard_params, callback_params, callback_statuses,
    callback_origin, correlation_id, request_fingerprint, printable_address, document_sha256, document_bytes, document_pages,
    document_sheets, batch_number, fulfilment_job_id, document_id, print_location, serial_number, despatch_properties,
    step_failures, step_failure, parked_at, created_at, updated_at, despatched_at)
  select
    (lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid,
    $1, 'letter-' || n, status, $2,
    jsonb_build_object('jobType', 'LETTER', 'templateReference', 'LETTER', 'recipientName', 'Ms Ada Example ' || n,
      'businessIdentifier', 'case-' || n, 'address', jsonb_build_object('unstructuredAddress',
        jsonb_build_object('line1', n || ' High Street', 'line5', 'Anytown', 'postcode', 'AB1 2CD'))),
    '{"retryParams": {"enabled": true, "maxRetryWindow": 86400}}', '{DESPATCHED,REJECTED}',
    'https://consumer-' || n % 40 || '.example', gen_random_uuid(), sha256(n::text::bytea),
    jsonb_build_object('recipientLine1', 'Ms Ada Example ' || n, 'line1', n || ' High Street', 'line5', 'Anytown', 'postcode', 'AB1 2CD'),
    case when status in ('PENDING', 'PRODUCTION', 'DESPATCHED') then sha256(n::text::bytea) end, 20000, 2, 1,
    case when status in ('PRODUCTION', 'DESPATCHED') then 'R' || 100001 + n % 460 end,
    case when status in ('PRODUCTION', 'DESPATCHED') then 'R' || 100001 + n % 460 || '-001' end,
    case when status in ('PRODUCTION', 'DESPATCHED') then 'D' || 100000000 + n end,
    'a-site', case when status = 'DESPATCHED' then 'AP' || n end,
    case when status = 'DESPATCHED' then '[{"key": "totalSheets", "value": "1"}, {"key": "postageClass", "value": "2ND"}]'::jsonb end,
    case when status = 'VALIDATING' and place <= ${parked + failing} then 3 else 0 end,
    case when status = 'VALIDATING' and place <= ${parked + failing} then 'TimeoutError' end,
    case when status = 'VALIDATING' and place <= ${parked} then at + interval '4 minutes' end,
    at, at + interval '1 minute', case when status = 'DESPATCHED' then at + interval '1 day' end
  from made`

const events = `
  insert into print_job_event (print_job_key, sequence, transition, status, actor, at)
  select key, sequence, 'submit', 'QUARANTINE', 'consumer', created_at
  from print_job cross join generate_series(1, 2) as sequence`

const printRuns = `
  insert into print_run (batch_number, provider_id, print_location, despatch_method, stationery, plex, colour, state,
    document_count, sheet_count, page_count, byte_count, released_at, claimed_at, lease_until, manifest_version,
    manifest_digest, acknowledged_at, acknowledgement_hash, closed_at, expected_despatch_on)
  select 'R' || 100000 + n, 'a-provider', 'a-site', 'SECOND', 'A4-PLAIN', 'duplex', true, state,
    100, 100, 200, 2000000, at, claimed, claimed + interval '1 hour', case when claimed is not null then 1 end,
    case when claimed is not null then sha256(n::text::bytea) end,
    case when state <> 'CLAIMED' then claimed end,
    case when state <> 'CLAIMED' and claimed is not null then sha256(n::text::bytea) end,
    case when state = 'CLOSED' then at + interval '1 day' end, (at + interval '1 day')::date
  from generate_series(1, 460) as n
  cross join lateral (select
    (array['RELEASED', 'CLAIMED', 'ACCEPTED', 'IN_PRODUCTION', 'POSTED'])[case when n <= 60 then 1 + n % 5 end] as open,
    now() - n * interval '90 minutes' as at) made
  cross join lateral (select coalesce(open, 'CLOSED') as state,
    case when open is distinct from 'RELEASED' then at + interval '5 minutes' end as claimed) stood`

// Workers have all letters in checking that are not parked.
const batches = `
  insert into letter_batch (lane, queue, is_first, due_at, consumer_ids, subjects, leased_until, versions)
  select 'plain', 'letters', false, now(), array_agg(distinct consumer_id), array_agg(key), now() + interval '1 hour',
    array_agg(step_epoch)
  from (select *, row_number() over (order by key) as n from print_job
    where status in ('QUARANTINE', 'VALIDATING') and parked_at is null) job
  group by n / 100`

const postings = `
  insert into posting (id, provider_id, posting_key, request_hash, carrier, handover_at, despatch_properties, document_count,
    sheet_count, created_at, confirmed_at, confirmed_count)
  select gen_random_uuid(), 'a-provider', 'posting-' || n, sha256(n::text::bytea), 'A carrier', at, '[]', 20, 20, at, at, 20
  from generate_series(1, 2000) as n cross join lateral (select now() - n * interval '20 minutes' as at) made`

const callbacks = `
  insert into callback (id, consumer_id, origin, print_job_key, sequence, kind, status, body, state, end_reason,
    attempts, due_at, created_at, owed_since, ended_at)
  select gen_random_uuid(), consumer_id, callback_origin, key, 1, 'status', status,
    convert_to(repeat('{"type":"print-job.status"}', 20), 'UTF8'), state, case when state = 'DEAD' then 'window-ended' end,
    1, case when state = 'DUE' then now() + interval '1 minute' end, at, at,
    case when state <> 'DUE' then at + interval '1 second' end
  from (select *, row_number() over (order by key desc) as n from print_job where status in ('DESPATCHED', 'REJECTED')) job
  cross join lateral (select coalesce(despatched_at, updated_at) as at,
    case when n <= 1500 then 'DUE' when n <= 2500 then 'DEAD' else 'DELIVERED' end as state) made`

const attempts = `
  insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome)
  select id, 1, created_at, created_at, 120, case when state = 'DELIVERED' then 'delivered' else 'timeout' end from callback`

const origins = `
  insert into callback_origin (origin, breaker, breaker_until, failures_in_row)
  select origin, case when failing then 'open' else 'closed' end, case when failing then now() + interval '1 minute' end,
    case when failing then 9 else 0 end
  from (select distinct origin from callback) known
  cross join lateral (select origin like '%-1_.example' as failing) made`

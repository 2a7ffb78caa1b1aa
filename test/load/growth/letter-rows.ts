/** The table of the letters that the statements below save. */
export const makeLetterTable = `create temporary table letter (
  n integer, kind text, at timestamptz, key uuid, batch text, consumer_id uuid, contract_id uuid)`

/** The first batch number of each kind of run. Print runs that the pipeline opens begin at 100001. */
const first = { closed: 1, released: 20_001, production: 30_001, open: 40_001 }
/** One for each stream of a site, besides the stream of new letters. */
const openRuns = 16
const claimedRuns = 24

/**
 * Names the letters numbered $1 to $2, of which $3 are finished and $4 live, with $5 documents in a closed run. Finished
 * letters arrived over 85 days, and live ones on the last day. At least 60 live letters are parked and 60 held, so that
 * lists have a full page in a small system too.
 */
export const nameLetters = `
  with contracts as (
    select array_agg(id order by id) as ids, array_agg(consumer_id order by id) as consumer_ids, count(*)::integer as count
    from contract where template_reference = 'LETTER'
  ), numbered as (
    select n, n - $3::integer as live, now() as now from generate_series($1::integer, $2::integer) n
  ), kinds as (
    select n, live, case
        when live <= 0 then case when n % 33 = 0 then 'rejected' else 'despatched' end
        when live <= 60 or live % 200 = 0 then 'parked'
        when live <= 120 or live % 200 = 1 then 'held'
        when live % 10 < 4 then 'released'
        when live % 10 = 4 then 'open'
        when live % 10 = 5 then 'waiting'
        else 'production' end as kind,
      case when live <= 0 then now - interval '86 days' + interval '85 days' * n / $3::integer
        else now - interval '1 day' + interval '23 hours' * live / $4::integer end as at
    from numbered
  )
  insert into letter
  select n, kind, at,
    (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
    'R' || case kind
      when 'despatched' then ${first.closed} + (n - 1) / $5::integer
      when 'released' then ${first.released} + ((live - 1)::bigint * ${claimedRuns} / $4::integer)
      when 'production' then ${first.production} + ((live - 1)::bigint * ${claimedRuns} / $4::integer)
      when 'open' then ${first.open} + ((live - 1)::bigint * ${openRuns} / $4::integer) end,
    contracts.consumer_ids[1 + n % contracts.count], contracts.ids[1 + n % contracts.count]
  from kinds, contracts`

const address = `json_build_object('line1', n || ' Mill Lane', 'line2', 'Upper Stratton', 'line5', 'SWINDON',
  'postcode', chr(65 + n * 7 % 26) || chr(65 + n * 11 % 26) || (n % 30 + 1) || ' ' || (n % 9 + 1) || 'QX')`
const sheets = `1 + n % 4`
const isFinished = `kind in ('despatched', 'rejected')`
const hasDocument = `kind not in ('rejected', 'parked')`
/** The API accepts ids with a version and a variant only. */
const idOf = (text: string) =>
  `overlay(overlay(md5(${text}) placing '4' from 13) placing '8' from 17)::uuid`
const postingId = (batch: string) => idOf(`'posting ' || ${batch}`)
const callbackId = idOf(`'callback ' || n`)
/** One callback in 200 is dead, and one in 1,000 is retried later. */
const callbackState = `case when n % 200 = 0 then 'DEAD' when n % 1000 = 1 then 'DUE' else 'DELIVERED' end`

/** Saves the named letters, with their timelines, files, documents and callbacks. */
export const saveLetters = [
  `insert into print_job (key, consumer_id, id, status, comment, contract_id, standard_params, callback_params,
     callback_destination_sealed, callback_origin, callback_statuses, correlation_id, request_fingerprint,
     event_sequence, callback_sequence, step_epoch, step_failures, printable_address, document_sha256, document_bytes,
     document_pages, document_sheets, document_number, batch_number, fulfilment_job_id, document_id, print_location,
     not_before, route_after, held_at, held_by, parked_at, created_at, updated_at, despatched_at, search_terms)
   select key, consumer_id, 'letter-' || n,
     case kind when 'despatched' then 'DESPATCHED' when 'rejected' then 'REJECTED' when 'parked' then 'VALIDATING'
       when 'production' then 'PRODUCTION' else 'PENDING' end,
     case kind when 'rejected' then 'PDF-PAGE-SIZE: page 2 of letter.pdf is 216 mm wide, 210 mm at most' end, contract_id,
     json_build_object('jobType', 'LETTER', 'templateReference', 'LETTER', 'businessIdentifier', 'CASE-' || n,
       'recipientName', 'Ms Rosalind Appleyard ' || n, 'address', json_build_object('unstructuredAddress', ${address})),
     '{"retryParams":{"enabled":true,"maxRetryWindow":10800}}', decode(repeat(md5(n::text), 4), 'hex'),
     'https://consumer.invalid', '{DESPATCHED,REJECTED}', key::text, sha256(n::text::bytea),
     case kind when 'despatched' then 5 when 'production' then 4 when 'held' then 4 else 3 end,
     case when ${isFinished} then 1 else 0 end, 2, case kind when 'parked' then 10 else 0 end,
     case when ${hasDocument} then ${address}::jsonb || jsonb_build_object('dps', '1A', 'recipientLine1',
       'Ms Rosalind Appleyard ' || n, 'recipientLine2', '') end,
     case when ${hasDocument} then sha256(('document ' || n)::bytea) end, 30000, (${sheets}) * 2, ${sheets}, n, batch,
     case when kind in ('despatched', 'production') then batch || '-001' end,
     case when kind in ('despatched', 'production') then 'D' || n end,
     case when kind in ('despatched', 'production') then 'BENCH' end,
     case kind when 'waiting' then now() + interval '7 days' end,
     case kind when 'waiting' then now() + interval '7 days' end,
     case kind when 'held' then at end, case kind when 'held' then 'consumer' end, case kind when 'parked' then at end,
     at, at + interval '1 minute', case kind when 'despatched' then at + interval '1 day' end, '{}'
   from letter`,
  `insert into print_job_event (print_job_key, sequence, transition, status, at, actor)
   select key, step.sequence, step.transition, step.status, at + step.sequence * interval '10 seconds', step.actor
   from letter join (values
     ('{despatched,rejected,parked,held,released,open,waiting,production}'::text[], 1, 'submit', 'QUARANTINE', 'consumer'),
     ('{despatched,rejected,parked,held,released,open,waiting,production}', 2, 'release', 'VALIDATING', 'pipeline'),
     ('{despatched,held,released,open,waiting,production}', 3, 'accept', 'PENDING', 'pipeline'),
     ('{rejected}', 3, 'reject', 'REJECTED', 'pipeline'),
     ('{parked}', 3, 'park', 'VALIDATING', 'pipeline'),
     ('{held}', 4, 'hold', 'PENDING', 'consumer'),
     ('{despatched,production}', 4, 'produce', 'PRODUCTION', 'provider:bench'),
     ('{despatched}', 5, 'despatch', 'DESPATCHED', 'provider:bench')
   ) as step (kinds, sequence, transition, status, actor) on kind = any (step.kinds)`,
  `insert into print_job_file (print_job_key, position, file_id, source, upload_id, sha256, bytes, media_type, pinned_at)
   select key, 1, 'enclosure', 'upload', key, sha256(('file ' || n)::bytea), 42000, 'application/pdf', at
   from letter where n % 2 = 0`,
  `insert into print_run_document (batch_number, document_id, print_job_key, fulfilment_job_id, sequence, sha256, bytes,
     pages, sheets, posting_id, outcome, progress)
   select batch, 'D' || n, key, case when kind <> 'open' then batch || '-001' end, case when kind <> 'open' then n end,
     sha256(('document ' || n)::bytea), 30000, (${sheets}) * 2, ${sheets},
     case kind when 'despatched' then ${postingId('batch')} end, case kind when 'despatched' then 'DESPATCHED' end,
     case when kind = 'despatched' then 'ENCLOSED' when kind = 'production' and n % 2 = 0 then 'PRINTED' end
   from letter where batch is not null`,
  `insert into callback (id, consumer_id, origin, print_job_key, sequence, status, body, state, end_reason, attempts,
     owed_since, first_attempt_at, due_at, created_at, ended_at)
   select ${callbackId}, consumer_id, 'https://consumer.invalid', key, 1,
     case kind when 'despatched' then 'DESPATCHED' else 'REJECTED' end, convert_to(repeat(md5(n::text), 12), 'UTF8'),
     ${callbackState}, case ${callbackState} when 'DEAD' then 'window-ended' end, 1, owed_at, owed_at,
     case ${callbackState} when 'DUE' then now() + interval '1 day' end, owed_at,
     case when ${callbackState} <> 'DUE' then owed_at end
   from (select letter.*, at + interval '1 day' as owed_at from letter where ${isFinished}) letter`,
  `insert into callback_attempt (callback_id, number, planned_at, started_at, duration_ms, outcome, http_status)
   select ${callbackId}, 1, at + interval '1 day', at + interval '1 day', 20,
     case ${callbackState} when 'DELIVERED' then 'delivered' else 'refused' end,
     case ${callbackState} when 'DELIVERED' then 204 else 500 end
   from letter where ${isFinished}`,
]

/** Saves the print runs of all documents, and the postings of the closed ones. */
export const saveRuns = [
  `insert into print_run (batch_number, provider_id, print_location, despatch_method, stationery, plex, colour, state,
     opened_at, released_at, claimed_at, manifest_version, manifest_digest, acknowledged_at, acknowledgement_hash,
     posted_at, closed_at, document_count, sheet_count, page_count, byte_count, gathered_count, sheets_max, cut_off_at)
   select batch_number, 'bench', 'BENCH',
     case state when 'OPEN' then (array['FIRST', 'ECONOMY', 'INTERNATIONAL_EU', 'INTERNATIONAL_ROW'])[1 + place % 4]
       else 'SECOND' end, 'A4-PLAIN', case when state = 'OPEN' and place / 4 % 2 = 1 then 'simplex' else 'duplex' end,
     state <> 'OPEN' or place / 8 = 0, state, case when state = 'OPEN' then now() else at end,
     case when state <> 'OPEN' then at end, claimed_at, case when claimed_at is not null then 1 end,
     case when claimed_at is not null then sha256(batch_number::bytea) end, claimed_at,
     case when claimed_at is not null then sha256(batch_number::bytea) end, closed_at, closed_at,
     case when state <> 'OPEN' then documents end, sheets, pages, bytes, documents, sheets_max,
     case when state = 'OPEN' then now() + interval '1 day' end
   from (
     select *, case when state in ('CLOSED', 'IN_PRODUCTION') then at end as claimed_at,
       case state when 'CLOSED' then at + interval '1 day' end as closed_at
     from (
       select batch_number, case
           when number < ${first.released} then 'CLOSED' when number < ${first.production} then 'RELEASED'
           when number < ${first.open} then 'IN_PRODUCTION' else 'OPEN' end as state,
         (number - ${first.open})::integer as place, at, documents, sheets, pages, bytes, sheets_max
       from (
         select document.batch_number, substr(document.batch_number, 2)::integer as number, max(job.created_at) as at, count(*) as documents,
           sum(document.sheets) as sheets, sum(document.pages) as pages, sum(document.bytes) as bytes,
           max(document.sheets) as sheets_max
         from print_run_document document join print_job job on job.key = document.print_job_key
         group by document.batch_number) totals
     ) stated
   ) run`,
  `insert into posting (id, provider_id, posting_key, request_hash, carrier, handover_at, despatch_properties,
     document_count, sheet_count, created_at, confirmed_at, confirmed_count)
   select ${postingId('batch_number')}, 'bench', batch_number, sha256(batch_number::bytea), 'Royal Mail', closed_at,
     '[{"key":"postageClass","value":"SECOND"}]', document_count, sheet_count, closed_at, closed_at, document_count
   from print_run where state = 'CLOSED'`,
  `insert into posting_run (posting_id, batch_number, document_count, sheet_count)
   select ${postingId('batch_number')}, batch_number, document_count, sheet_count from print_run where state = 'CLOSED'`,
]

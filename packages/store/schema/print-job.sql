-- Print jobs with their files, their timeline and the terms by which operators find them.

-- Starts at its full width, like the numbers of print runs: both are printed in marks, read aloud and sorted as text.
create sequence document_number start 100000001;

-- Print jobs: what a consumer submitted, the status, and what the stages and the provider made of it.
-- Written by administration, callbacks, fulfilment, pipeline and print-request. Read by administration, callbacks,
-- fulfilment, ops-console, pipeline, print-request and uat. A row loses its personal data after the retention of its
-- contract (`DESPATCH_RETENTION_DAYS`), and is deleted when it is retired, `DESPATCH_HISTORY_DAYS` later.
create table print_job (
  -- begins with the time of the submission
  key uuid primary key,
  consumer_id uuid not null references consumer (id),
  -- two plain conditions: a pattern that counts costs a fifth of what saving a print job costs
  id text not null check (length(id) between 1 and 255 and id !~ '[^A-Za-z0-9_:.-]'),
  status text not null check (status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION', 'DESPATCHED', 'REJECTED')),
  comment text,
  contract_id uuid not null references contract (id),

  -- what was submitted
  standard_params jsonb not null,
  custom_params jsonb,
  -- the paths of the members of its request that no part of the system knows; null: none
  unknown_members text[],
  correlation_id text not null,
  idempotency_key text,
  request_fingerprint bytea not null,
  -- W3C traceparent of the request that submitted it; null: it is not traced
  trace_context text,
  -- The despatch method by which it is produced: an international address has no class of the United Kingdom. Null: the
  -- method with which it was submitted.
  produced_as text,

  -- The terms of its personal data in search_term, which its purge deletes. Null: its terms are still to be written.
  search_terms bigint[],

  -- where its callbacks go, which is a secret: target and credentials are sealed together
  callback_params jsonb,
  callback_destination_sealed bytea,
  -- scheme, host and port of the target: calls are limited by it
  callback_origin text,
  callback_statuses text[] not null,
  -- the consumer said 410 Gone: it wants no further callback of this print job
  callback_gone_at timestamptz,

  -- how far its timeline and its callbacks have been numbered
  event_sequence integer not null default 1,
  callback_sequence integer not null default 0,

  -- each outcome of a step names the epoch under which its worker took it, and raises it
  step_epoch integer not null default 0,
  -- how many workers died in the step
  step_starts integer not null default 0,
  step_failures integer not null default 0,
  step_failure text,
  parked_at timestamptz,

  -- what the stages made
  printable_address jsonb,
  -- 'D' and the number is its document's id in the print run, which the letter's marks carry. The number of a letter
  -- that is refused is not used again.
  document_number bigint not null default nextval('document_number'),
  document_sha256 bytea,
  document_bytes integer,
  document_pages integer,
  document_sheets integer,

  -- recipientName and address that replace what was submitted, which stays in standard_params
  address_override jsonb,
  -- when it was last corrected; stays when the address is purged
  address_overridden_at timestamptz,

  -- the first moment at which it may be gathered into a print run, as the consumer asked
  not_before timestamptz,
  -- no site could take the document: it is looked at again then
  route_after timestamptz,
  -- it waits until somebody releases it
  held_at timestamptz,
  held_by text,
  hold_reason text,
  -- when a hold by its consumer or contract last ended: its due date counts from then
  hold_ended_at timestamptz,

  -- what fulfilment said
  batch_number text,
  fulfilment_job_id text,
  document_id text,
  print_location text,
  serial_number text,
  despatch_properties jsonb,

  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  despatched_at timestamptz,
  deleted_at timestamptz,
  -- since when its personal data are being removed, and when they had been
  purge_began_at timestamptz,
  purged_at timestamptz,

  unique (consumer_id, id),
  check ((status = 'DESPATCHED') = (despatched_at is not null)),
  check (status not in ('PENDING', 'PRODUCTION', 'DESPATCHED') or document_sha256 is not null),
  check (deleted_at is null or status = 'PENDING'),
  constraint print_job_held check ((held_at is null) = (held_by is null))
) with (
  -- A pass of gathering, of the scheduler and of callbacks reads the dead rows since the last vacuum. With the
  -- default of 20 %, a table of ten million rows collects two million of them.
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000, autovacuum_analyze_scale_factor = 0.02,
  autovacuum_vacuum_cost_limit = 2000
);
create unique index print_job_idempotency_key on print_job (consumer_id, idempotency_key) where idempotency_key is not null;
create index print_job_live on print_job (status, updated_at)
  where status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION') and deleted_at is null;
create index print_job_parked on print_job (parked_at) where parked_at is not null;
create index print_job_held_since on print_job (held_at) where held_at is not null and deleted_at is null;
-- Letters in no print run, in the order of their due dates.
create index print_job_waiting_as on print_job (
  (coalesce(produced_as, standard_params ->> 'despatchMethod', 'SECOND')),
  (greatest(created_at, not_before, hold_ended_at)))
  where status in ('QUARANTINE', 'VALIDATING', 'PENDING') and batch_number is null and deleted_at is null
    and held_at is null;
-- Letters in no print run, by what decides which sites can take them, in the order in which they are ready. So a pass
-- that gathers does not read each letter that no site can take.
create index print_job_to_gather on print_job (
  contract_id, (coalesce(produced_as, standard_params ->> 'despatchMethod', 'SECOND')), (coalesce(document_sheets, 1)),
  (greatest(created_at, not_before, hold_ended_at)), (coalesce(route_after, '-infinity'::timestamptz)))
  where status = 'PENDING' and batch_number is null and deleted_at is null and held_at is null;
-- Letters that ended and still have personal data, the longest ended first: the retention is the contract's.
create index print_job_to_purge on print_job (contract_id, (coalesce(despatched_at, deleted_at, updated_at)), key)
  where purged_at is null and (status in ('DESPATCHED', 'REJECTED') or deleted_at is not null);
-- Letters that were purged, the longest ago first.
create index print_job_purged on print_job (purged_at, key) where purged_at is not null;
-- Who else has the same bytes: their object is deleted with the last of them.
create index print_job_document_sha256 on print_job (document_sha256)
  where document_sha256 is not null and purge_began_at is null;
-- Letters whose search terms are still to be written. It is empty once they are.
create index print_job_without_search_terms on print_job (key) where search_terms is null;
alter table callback add foreign key (print_job_key) references print_job (key);
-- A document that is named is not being removed (purge.sql), and neither is a file.
create trigger print_job_document_named after insert on print_job
  for each row when (new.document_sha256 is not null) execute function rely_on_document();
create trigger print_job_document_renamed after update of document_sha256 on print_job
  for each row when (new.document_sha256 is not null and new.document_sha256 is distinct from old.document_sha256)
  execute function rely_on_document();

-- Bytes that a consumer sends before the print job that names them. What is deleted with a print job refers to it
-- without a foreign key: checking the reference would read the table from end to end.
-- Written and read by pipeline and print-request. A row is deleted an hour after it expired.
create table upload (
  id uuid primary key,
  consumer_id uuid not null references consumer (id),
  expires_at timestamptz not null,
  print_job_key uuid,
  -- The bytes of an upload that was larger than the limit and is deleted, so that a letter that names it is refused for
  -- that reason.
  oversized_bytes bigint,
  created_at timestamptz not null default now()
);
create index upload_expires_at on upload (expires_at);
-- Counts the open uploads of a consumer.
create index upload_open on upload (consumer_id, expires_at) where print_job_key is null;

-- Files of a print job.
-- Written by pipeline and print-request. Read by administration, fulfilment, pipeline and print-request. A row is
-- deleted when its print job is retired.
create table print_job_file (
  print_job_key uuid not null references print_job (key),
  position integer not null,
  file_id text not null,
  source text not null check (source in ('upload', 'custom-param')),
  upload_id uuid check ((source = 'upload') = (upload_id is not null)),
  -- known at submission for custom params, found by quarantine for uploads
  sha256 bytea,
  bytes integer,
  media_type text,
  pinned_at timestamptz,
  primary key (print_job_key, position),
  unique (print_job_key, file_id),
  check (pinned_at is null or (sha256 is not null and bytes is not null and media_type is not null))
);
create index print_job_file_sha256 on print_job_file (sha256) where sha256 is not null;
create trigger print_job_file_named after insert on print_job_file
  for each row when (new.sha256 is not null) execute function rely_on_file();
create trigger print_job_file_renamed after update of sha256 on print_job_file
  for each row when (new.sha256 is not null and new.sha256 is distinct from old.sha256) execute function rely_on_file();

-- The timeline of a print job: an event for each transition and note. print-job-partitions.sql divides it by month.
-- Written by administration, fulfilment, pipeline and print-request. Read by administration, fulfilment, ops-console,
-- pipeline and print-request. A row leaves when its print job is retired: with the partition of its month.
create table print_job_event (
  print_job_key uuid not null,
  sequence integer not null,
  transition text not null,
  status text not null,
  at timestamptz not null default now(),
  actor text not null,
  reason text,
  -- what was found, in the order in which it is shown: rules, places and sentences, never content
  findings jsonb,
  primary key (print_job_key, sequence)
) partition by range (print_job_key);
-- The volume report counts events by day. Ranges with gaps: an event that a purge rewrites lies among far later ones.
create index print_job_event_at on print_job_event using brin (at timestamptz_minmax_multi_ops);

-- Operators find letters by recipient, postcode, reference and correlation id. A search term is the keyed hash of one
-- word, so that no name is stored twice in clear text. The keys of print jobs begin with the time: reading the primary
-- key backwards lists the newest letters of a word first. print-job-partitions.sql divides it by month.
-- Written and read by administration, pipeline and print-request. A row is deleted when its print job is purged; that
-- of the correlation id leaves with the partition of its month.
create table search_term (
  term bigint not null,
  print_job_key uuid not null,
  primary key (term, print_job_key)
) partition by range (term);

-- The statement that corrects an address or purges a letter need not know its terms. A letter whose address is
-- corrected gets all its terms again; a purged one keeps only the term of its correlation id.
create function drop_search_terms() returns trigger language plpgsql as $$
begin
  delete from search_term where term = any (old.search_terms) and print_job_key = old.key;
  new.search_terms := case when new.purged_at is not null then '{}'::bigint[] end;
  return new;
end
$$;
create trigger print_job_search_terms before update of address_override, purged_at on print_job
  for each row when (old.search_terms is not null and (
    new.address_override is distinct from old.address_override or new.purged_at is distinct from old.purged_at))
  execute function drop_search_terms();

-- Ids of print jobs that were retired. They stay taken, so that a late retry prints nothing. Two hashes of the consumer
-- and the id, 128 bits together: a row takes less than 100 bytes, whatever the length of the id. A cryptographic hash
-- would take a fifth of the time of a submission; with this one, a consumer that looks for equal hashes can only block
-- ids of its own.
-- Written by pipeline. Read by pipeline and print-request. A row stays for ever.
create table retired_print_job (
  first_hash bigint not null,
  second_hash bigint not null,
  primary key (first_hash, second_hash)
) with (autovacuum_vacuum_insert_scale_factor = 0.02);

create function retired_id_hash(consumer_id uuid, id text, seed bigint) returns bigint
language sql immutable as $$
  select hashtextextended(id, uuid_hash_extended(consumer_id, seed))
$$;

-- A submission looks for its id before it is inserted. This also finds the id of a print job that is retired meanwhile.
create function refuse_retired_ids() returns trigger language plpgsql as $$
begin
  if exists (
    select from added where exists (
      select from retired_print_job
      where first_hash = retired_id_hash(added.consumer_id, added.id, 1)
        and second_hash = retired_id_hash(added.consumer_id, added.id, 2) offset 0))
  then
    raise exception 'The id of a print job that was retired is taken' using errcode = 'DS003';
  end if;
  return null;
end
$$;
create trigger print_job_ids_free after insert on print_job
  referencing new table as added for each statement execute function refuse_retired_ids();

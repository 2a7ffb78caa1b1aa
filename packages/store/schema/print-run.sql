-- Print runs, the documents in them, and the claims of providers.

-- Starts at its full width, like document_number.
create sequence print_run_number start 100001;

-- What a provider prints at once. A run is gathered, then its documents are numbered page by page, then it is RELEASED;
-- it stays OPEN while it is numbered (docs/decisions/0017-a-release-in-pages.md).
-- Written by administration, fulfilment and pipeline. Read by administration, fulfilment, ops-console, pipeline and
-- print-request. A row stays: it proves what was printed and posted.
create table print_run (
  batch_number text primary key,
  provider_id text not null references provider (id),
  print_location text not null,
  despatch_method text not null,
  stationery text not null,
  plex text not null check (plex in ('simplex', 'duplex')),
  colour boolean not null,
  format text not null default 'LETTER' check (format in ('LETTER', 'LARGE_LETTER')),
  -- 1, and one more each time an operator moves a claimed run
  print_epoch integer not null default 1 check (print_epoch > 0),
  moved_from text references print_run (batch_number),
  state text not null constraint print_run_state_check check (state in (
    'OPEN', 'RELEASED', 'CLAIMED', 'ACCEPTED', 'ACCEPTED_WITH_EXCEPTIONS', 'REFUSED', 'IN_PRODUCTION', 'POSTED', 'RECONCILED',
    'CLOSED', 'VOIDED')),

  -- while it is gathered
  opened_at timestamptz not null default now(),
  -- when it is going to be released
  cut_off_at timestamptz,
  expected_despatch_on date,
  release_asked_at timestamptz,
  release_asked_by text,
  -- rows in print_run_document, and the most sheets of one; null: count the rows
  gathered_count integer,
  sheets_max integer,
  -- The paper and envelopes by which its letters are weighed, kept from its site when the release begins, so that
  -- estimates stay when the site changes. Null: the defaults.
  materials jsonb,

  -- while its documents are numbered: nothing is added from then on
  release_began_at timestamptz,
  -- until then, other processes leave the numbering to the one that does it
  release_lease_until timestamptz,
  -- attempts to release it that failed, with the class of the last fault
  release_failures integer not null default 0,
  release_fault text,
  release_tried_at timestamptz,
  release_retry_at timestamptz,

  -- totals of the release; the claim writes them once more without what was withdrawn since, and then they are frozen
  released_at timestamptz,
  document_count integer,
  sheet_count integer,
  page_count integer,
  byte_count bigint,

  -- frozen by the claim
  claimed_at timestamptz,
  lease_until timestamptz,
  manifest_version integer,
  manifest_digest bytea,
  -- its fulfilment jobs that have template data
  template_jobs text[] not null default '{}',

  -- what the provider said of it
  acknowledged_at timestamptz,
  acknowledgement_hash bytea,
  refused_count integer,
  -- why the provider will not print any of it
  refusal text,
  posted_at timestamptz,
  closed_at timestamptz,
  closed_by text,
  voided_at timestamptz,
  void_reason text,

  check (state not in ('OPEN', 'RELEASED') or claimed_at is null),
  check (state in ('OPEN', 'RELEASED', 'CLOSED') or claimed_at is not null),
  check ((claimed_at is null) = (manifest_digest is null)),
  check ((claimed_at is null) = (manifest_version is null)),
  check (state not in ('ACCEPTED', 'ACCEPTED_WITH_EXCEPTIONS', 'REFUSED', 'IN_PRODUCTION', 'POSTED', 'RECONCILED') or acknowledged_at is not null),
  check ((acknowledged_at is null) = (acknowledgement_hash is null)),
  constraint print_run_voided check ((state = 'VOIDED') = (voided_at is not null))
);
create unique index print_run_one_collecting on print_run (
  provider_id, print_location, despatch_method, stationery, plex, colour, format)
  where state = 'OPEN' and release_began_at is null;
create index print_run_to_release on print_run (release_began_at) where state = 'OPEN' and release_began_at is not null;
-- Providers see the oldest deadline first.
create index print_run_listed on print_run (
  provider_id, coalesce(expected_despatch_on, 'infinity'::date), released_at, batch_number) where state <> 'OPEN';
create index print_run_to_claim on print_run (
  provider_id, coalesce(expected_despatch_on, 'infinity'::date), released_at, batch_number)
  where state in ('RELEASED', 'CLAIMED');
create index print_run_at_work on print_run (provider_id) where state not in ('CLOSED', 'VOIDED');
create index print_run_moved_from on print_run (moved_from) where moved_from is not null;
-- A provider reads the documents of a released run from the object store (purge.sql).
create trigger print_run_documents_stored before update of state on print_run
  for each row when (old.state = 'OPEN' and new.state = 'RELEASED') execute function refuse_unstored_documents();

-- Each claim key with the answer it got, kept as bytes: a repeat whose first answer was lost gets the same one.
-- Written and read by fulfilment. A row stays: it proves what was claimed.
create table print_run_claim (
  provider_id text not null references provider (id),
  claim_key text not null,
  batch_number text not null references print_run (batch_number),
  request_hash bytea not null,
  response bytea not null,
  created_at timestamptz not null default now(),
  primary key (provider_id, claim_key)
);

-- Documents of a print run. One that leaves the run keeps its row, removed or voided. A row refers to its print job
-- without a foreign key: checking the reference would read the table from end to end when a print job is retired.
-- Written by administration, fulfilment, pipeline and print-request. Read by administration, fulfilment, ops-console,
-- pipeline, print-request and uat. A row is deleted when its print job is retired.
create table print_run_document (
  batch_number text not null references print_run (batch_number),
  document_id text not null,
  print_job_key uuid not null,
  fulfilment_job_id text,
  sequence integer,
  -- the attempt that its manifest lists; "attempt" is the one that counts now
  first_attempt integer not null default 1,
  attempt integer not null default 1,
  sha256 bytea not null,
  bytes integer not null,
  pages integer not null,
  sheets integer not null,
  -- the day (London) on which it was put into its run
  routed_on date default ((now() at time zone 'Europe/London')::date),
  -- how far the current attempt has come, by the provider's events
  progress text check (progress in ('FETCHED', 'PRINTED', 'ENCLOSED', 'SPOILED')),
  outcome text constraint print_run_document_outcome_check
    check (outcome in ('REFUSED', 'DESPATCHED', 'FAILED', 'RECALLED')),
  -- posting.sql adds the reference
  posting_id uuid,
  serial_number text,
  mailmark_item_id text,
  despatch_properties jsonb,
  removed_at timestamptz,
  -- its run was moved: the document goes on in another, under a higher attempt
  voided_at timestamptz,
  primary key (batch_number, document_id),
  unique (batch_number, sequence),
  check ((sequence is null) = (fulfilment_job_id is null)),
  check (outcome is distinct from 'DESPATCHED' or posting_id is not null),
  check (outcome is distinct from 'REFUSED' or posting_id is null)
) with (
  -- Progress and outcome are in no index: with room on its page a document changes them without touching any, which
  -- takes a third of the time.
  fillfactor = 60, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000
);
-- A letter is in one run at a time: this keeps it from being printed twice.
create unique index print_run_document_one_live on print_run_document (print_job_key)
  where removed_at is null and voided_at is null;
create unique index print_run_document_one_number on print_run_document (document_id)
  where removed_at is null and voided_at is null;
create index print_run_document_id on print_run_document (document_id);
create index print_run_document_removed on print_run_document (batch_number) where removed_at is not null;
create index print_run_document_posting on print_run_document (posting_id, sequence) where posting_id is not null;
create index print_run_document_mailmark on print_run_document (mailmark_item_id) where mailmark_item_id is not null;

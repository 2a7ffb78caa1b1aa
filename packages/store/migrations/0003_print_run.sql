-- The fulfilment side: print runs, the documents in them, who claimed them, postings.
-- Both numbers start at their full width: they are printed in marks, read aloud and sorted as text.
create sequence print_run_number start 100001;
create sequence document_number start 100000001;

create table print_run (
  batch_number text primary key,
  provider_id text not null references provider (id),
  print_location text not null,
  despatch_method text not null,
  stationery text not null,
  plex text not null check (plex in ('simplex', 'duplex')),
  colour boolean not null,
  state text not null check (state in ('OPEN', 'RELEASED', 'CLAIMED', 'ACCEPTED', 'ACCEPTED_WITH_EXCEPTIONS', 'REFUSED', 'IN_PRODUCTION', 'POSTED', 'RECONCILED', 'CLOSED')),
  opened_at timestamptz not null default now(),
  released_at timestamptz,
  -- totals of the release; the claim writes them once more without what was withdrawn since, and then they are frozen
  document_count integer,
  sheet_count integer,
  page_count integer,
  byte_count bigint,
  -- frozen by the claim
  claimed_at timestamptz,
  lease_until timestamptz,
  manifest_version integer,
  manifest_digest bytea,
  -- what the provider said of it
  acknowledged_at timestamptz,
  acknowledgement_hash bytea,
  refused_count integer,
  posted_at timestamptz,
  closed_at timestamptz,
  check (state not in ('OPEN', 'RELEASED') or claimed_at is null),
  check (state in ('OPEN', 'RELEASED', 'CLOSED') or claimed_at is not null),
  check ((claimed_at is null) = (manifest_digest is null)),
  check ((claimed_at is null) = (manifest_version is null)),
  check (state not in ('ACCEPTED', 'ACCEPTED_WITH_EXCEPTIONS', 'REFUSED', 'IN_PRODUCTION', 'POSTED', 'RECONCILED') or acknowledged_at is not null),
  check ((acknowledged_at is null) = (acknowledgement_hash is null))
);
create unique index print_run_one_open on print_run (provider_id, print_location, despatch_method, stationery, plex, colour) where state = 'OPEN';
create index print_run_listed on print_run (provider_id, released_at, batch_number) where state <> 'OPEN';
create index print_run_to_claim on print_run (provider_id, released_at, batch_number) where state in ('RELEASED', 'CLAIMED');

-- Each claim key with the answer it got, kept as bytes: a repeat whose first answer was lost gets the same one.
create table print_run_claim (
  provider_id text not null references provider (id),
  claim_key text not null,
  batch_number text not null references print_run (batch_number),
  request_hash bytea not null,
  response bytea not null,
  created_at timestamptz not null default now(),
  primary key (provider_id, claim_key)
);

create table posting (
  id uuid primary key,
  provider_id text not null references provider (id),
  posting_key text not null,
  request_hash bytea not null,
  batch_number text not null references print_run (batch_number),
  carrier text not null,
  handover_at timestamptz not null,
  manifest_number text,
  despatch_properties jsonb not null,
  document_count integer not null check (document_count > 0),
  sheet_count integer not null,
  created_at timestamptz not null default now(),
  confirmed_at timestamptz,
  confirmed_count integer,
  unique (provider_id, posting_key),
  check ((confirmed_at is null) = (confirmed_count is null))
);

create table print_run_document (
  batch_number text not null references print_run (batch_number),
  document_id text not null unique,
  print_job_key uuid not null references print_job (key),
  fulfilment_job_id text,
  sequence integer,
  attempt integer not null default 1,
  sha256 bytea not null,
  bytes integer not null,
  pages integer not null,
  sheets integer not null,
  posting_id uuid references posting (id),
  serial_number text,
  despatch_properties jsonb,
  outcome text check (outcome in ('REFUSED', 'DESPATCHED', 'FAILED')),
  removed_at timestamptz,
  primary key (batch_number, document_id),
  unique (batch_number, sequence),
  check ((sequence is null) = (fulfilment_job_id is null)),
  check (outcome is distinct from 'DESPATCHED' or posting_id is not null),
  check (outcome is distinct from 'REFUSED' or posting_id is null)
);
-- A letter is in one run at a time: this is what keeps it from being printed twice.
create unique index print_run_document_one_live on print_run_document (print_job_key) where removed_at is null;
create index print_run_document_removed on print_run_document (batch_number) where removed_at is not null;
create index print_run_document_posting on print_run_document (posting_id, sequence) where posting_id is not null;

-- The fulfilment side: print runs, the documents in them, postings.
create sequence print_run_number;
create sequence document_number;

create table print_run (
  batch_number text primary key,
  provider_id text not null references provider (id),
  print_location text not null,
  despatch_method text not null,
  stationery text not null,
  plex text not null check (plex in ('simplex', 'duplex')),
  colour boolean not null,
  state text not null check (state in ('OPEN', 'RELEASED', 'CLAIMED', 'ACCEPTED', 'ACCEPTED_WITH_EXCEPTIONS', 'REFUSED', 'IN_PRODUCTION', 'POSTED', 'RECONCILED', 'CLOSED')),
  manifest_version integer not null default 1,
  opened_at timestamptz not null default now(),
  released_at timestamptz,
  -- frozen by the claim
  claim_key text,
  claim_request_hash bytea,
  claim_response bytea,
  claimed_at timestamptz,
  lease_until timestamptz,
  manifest_digest bytea,
  document_count integer,
  sheet_count integer,
  page_count integer,
  byte_count bigint,
  acknowledged_at timestamptz,
  posted_at timestamptz,
  closed_at timestamptz,
  check ((state in ('OPEN', 'RELEASED')) = (claimed_at is null)),
  check ((claimed_at is null) = (manifest_digest is null))
);
create unique index print_run_one_open on print_run (provider_id, print_location, despatch_method, stationery, plex, colour) where state = 'OPEN';
create unique index print_run_claim_key on print_run (provider_id, claim_key) where claim_key is not null;
create index print_run_state on print_run (state, released_at);

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
  outcome text check (outcome in ('REFUSED', 'DESPATCHED', 'FAILED')),
  removed_at timestamptz,
  primary key (batch_number, document_id),
  unique (batch_number, sequence)
);
-- A letter is in one run at a time: this is what keeps it from being printed twice.
create unique index print_run_document_one_live on print_run_document (print_job_key) where removed_at is null;

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
  document_ids text[],
  created_at timestamptz not null default now(),
  confirmed_at timestamptz,
  confirmed_count integer,
  unique (provider_id, posting_key)
);

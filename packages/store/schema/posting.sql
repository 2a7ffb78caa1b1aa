-- Postings: what a provider handed over to a carrier.

-- A posting covers documents of one print run or of several. It counts when the provider has confirmed it.
-- Written by administration and fulfilment. Read by administration, fulfilment and ops-console. A row stays: it
-- proves what was posted.
create table posting (
  id uuid primary key,
  provider_id text not null references provider (id),
  posting_key text not null,
  request_hash bytea not null,
  carrier text not null,
  handover_at timestamptz not null,
  manifest_number text,
  despatch_properties jsonb not null,
  -- what the carrier counted, with its weight bands, beside our estimate; null: the provider reported no counts
  counts jsonb,
  document_count integer not null check (document_count >= 0),
  sheet_count integer not null,
  created_at timestamptz not null default now(),
  confirmed_at timestamptz,
  confirmed_count integer,
  unique (provider_id, posting_key),
  check ((confirmed_at is null) = (confirmed_count is null))
);
alter table print_run_document add foreign key (posting_id) references posting (id);

-- The print runs of a posting, with what it covers of each.
-- Written and read by administration and fulfilment. A row stays: it proves what was posted.
create table posting_run (
  posting_id uuid not null references posting (id),
  batch_number text not null references print_run (batch_number),
  document_count integer not null check (document_count >= 0),
  sheet_count integer not null,
  primary key (posting_id, batch_number)
);
create index posting_run_batch_number on posting_run (batch_number);

-- Files with which a provider proves a posting. Their bytes are in the object store.
-- Written by fulfilment. Read by administration and fulfilment. A row stays: it proves what was posted.
create table posting_evidence (
  id uuid primary key,
  posting_id uuid not null references posting (id),
  file_name text not null,
  media_type text not null,
  created_at timestamptz not null default now()
);
create index posting_evidence_posting_id on posting_evidence (posting_id);

-- What providers report of single documents and letters.

-- Reports of single documents. One that was refused is not kept, so that it may be reported again later.
-- Written by fulfilment and pipeline. Read by administration, fulfilment and pipeline. A row is deleted when its
-- print job is retired.
create table print_run_event (
  provider_id text not null references provider (id),
  event_id text not null,
  event_hash bytea not null,
  batch_number text not null,
  document_id text not null,
  attempt integer not null,
  type text not null check (type in ('FETCHED', 'PRINTED', 'ENCLOSED', 'DIVERTED', 'SPOILED', 'FAILED')),
  -- APPLIED moved the document; RECORDED came too late to move it
  result text not null check (result in ('APPLIED', 'RECORDED')),
  -- by the provider's clock, which decides nothing
  occurred_at timestamptz not null,
  received_at timestamptz not null default now(),
  serial_number text,
  reason_code text,
  reason text,
  despatch_properties jsonb,
  primary key (provider_id, event_id),
  foreign key (batch_number, document_id) references print_run_document (batch_number, document_id)
);
-- Each type once for an attempt, but DIVERTED as often as it happens.
create unique index print_run_event_once on print_run_event (
  batch_number, document_id, attempt, type, (case when type = 'DIVERTED' then event_id else '' end));

-- Letters that came back. The print job stays DESPATCHED.
-- Written by fulfilment and pipeline. Read by administration, fulfilment and pipeline. A row is deleted when its
-- print job is retired.
create table returned_letter (
  provider_id text not null references provider (id),
  return_id text not null,
  return_hash bytea not null,
  print_job_key uuid not null unique references print_job (key),
  batch_number text not null,
  document_id text not null,
  reason_code text not null check (reason_code ~ '^R(0[1-9]|10)$'),
  disposition text not null check (disposition in ('DESTROYED', 'FORWARDED')),
  scanned_at timestamptz not null,
  received_at timestamptz not null default now(),
  primary key (provider_id, return_id)
);

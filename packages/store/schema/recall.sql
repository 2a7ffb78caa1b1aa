-- Recalls: an operator wants documents back after their run was claimed.

-- The request, and which documents the provider could still stop.
-- Written by administration and fulfilment. Read by administration, fulfilment and ops-console. A row stays: it
-- proves what was printed.
create table recall_request (
  id uuid primary key,
  batch_number text not null references print_run (batch_number),
  provider_id text not null references provider (id),
  state text not null default 'OPEN' check (state in ('OPEN', 'ACCEPTED', 'PARTLY_ACCEPTED', 'REJECTED')),
  reason text not null,
  requested_by text not null,
  requested_at timestamptz not null default now(),
  answered_at timestamptz,
  answer_reason text,
  answer_hash bytea,
  check ((state = 'OPEN') = (answered_at is null))
);
create index recall_request_listed on recall_request (provider_id, requested_at, id);

-- The documents of a recall.
-- Written and read by administration and fulfilment. A row stays: it proves what was printed, and has ids only.
create table recall_document (
  recall_id uuid not null references recall_request (id),
  document_id text not null,
  state text not null default 'ASKED' check (state in ('ASKED', 'RECALLED', 'TOO_LATE')),
  primary key (recall_id, document_id)
);

-- Reprints: further attempts at a document whose last one was spoiled.

-- A reprint that a provider asks for. Above the number that is free at its site, an operator decides.
-- Written by administration, fulfilment and pipeline. Read by administration, fulfilment, ops-console and pipeline. A
-- row is deleted when its print job is retired.
create table reprint (
  id bigint generated always as identity primary key,
  batch_number text not null,
  document_id text not null,
  attempt integer not null check (attempt > 1),
  state text not null check (state in ('WAITING', 'AUTHORISED', 'REFUSED')),
  reason_code text not null,
  reason text,
  requested_by uuid not null references consumer (id),
  requested_at timestamptz not null default now(),
  decided_by text,
  decided_at timestamptz,
  decision_reason text,
  unique (batch_number, document_id, attempt),
  foreign key (batch_number, document_id) references print_run_document (batch_number, document_id),
  check ((state = 'WAITING') = (decided_at is null))
);
create index reprint_waiting on reprint (requested_at) where state = 'WAITING';

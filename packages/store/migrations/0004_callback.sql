-- Callbacks owed to consumers. The body is stored as it will be sent, so that every attempt sends the same bytes.
create table callback (
  id uuid primary key,
  print_job_key uuid not null references print_job (key),
  sequence integer not null,
  status text not null,
  body bytea not null,
  state text not null default 'DUE' check (state in ('DUE', 'DELIVERED', 'ABANDONED')),
  attempts integer not null default 0,
  first_attempt_at timestamptz,
  due_at timestamptz,
  attempt_epoch integer not null default 0,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  unique (print_job_key, sequence),
  check ((state = 'DUE') = (due_at is not null)),
  check ((state = 'DUE') = (ended_at is null))
);
create index callback_due on callback (due_at) where state = 'DUE';
create index callback_abandoned on callback (ended_at) where state = 'ABANDONED';

create table callback_attempt (
  callback_id uuid not null references callback (id),
  number integer not null,
  planned_at timestamptz not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  outcome text not null,
  http_status integer,
  next_at timestamptz,
  primary key (callback_id, number)
);

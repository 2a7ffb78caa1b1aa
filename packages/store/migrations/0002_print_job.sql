-- A print job, its files and its timeline; the outbox that carries wake-ups to the queues.
create table print_job (
  key uuid primary key,
  consumer_id uuid not null references consumer (id),
  -- two plain conditions: a pattern that counts costs a fifth of what saving a print job costs
  id text not null check (length(id) between 1 and 255 and id !~ '[^A-Za-z0-9_:.-]'),
  status text not null check (status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION', 'DESPATCHED', 'REJECTED')),
  comment text,
  contract_id uuid not null references contract (id),
  standard_params jsonb not null,
  custom_params jsonb,
  callback_params jsonb,
  callback_authentication_sealed bytea,
  callback_statuses text[] not null,
  correlation_id text not null,
  idempotency_key text,
  request_fingerprint bytea not null,

  -- how far its timeline and its callbacks have been numbered
  event_sequence integer not null default 1,
  callback_sequence integer not null default 0,

  -- who works on it: every write of a worker names the epoch under which it took the step
  step_epoch integer not null default 0,
  step_starts integer not null default 0,
  step_failures integer not null default 0,
  step_failure text,
  lease_until timestamptz,
  next_check_at timestamptz,
  parked_at timestamptz,

  -- what the stages made
  printable_address jsonb,
  document_sha256 bytea,
  document_bytes integer,
  document_pages integer,
  document_sheets integer,

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

  unique (consumer_id, id),
  check ((status = 'DESPATCHED') = (despatched_at is not null)),
  check (status not in ('PENDING', 'PRODUCTION', 'DESPATCHED') or document_sha256 is not null),
  check (deleted_at is null or status = 'PENDING')
);
create unique index print_job_idempotency_key on print_job (consumer_id, idempotency_key) where idempotency_key is not null;
create index print_job_due on print_job (next_check_at) where next_check_at is not null and parked_at is null;
create index print_job_live on print_job (status, updated_at) where status in ('QUARANTINE', 'VALIDATING', 'PENDING', 'PRODUCTION') and deleted_at is null;
create index print_job_gatherable on print_job (created_at) where status = 'PENDING' and batch_number is null and deleted_at is null;
create index print_job_parked on print_job (parked_at) where parked_at is not null;

create table upload (
  id uuid primary key,
  consumer_id uuid not null references consumer (id),
  expires_at timestamptz not null,
  print_job_key uuid references print_job (key),
  created_at timestamptz not null default now()
);
create index upload_expires_at on upload (expires_at);

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

create table print_job_event (
  print_job_key uuid not null,
  sequence integer not null,
  transition text not null,
  status text not null,
  at timestamptz not null default now(),
  actor text not null,
  reason text,
  primary key (print_job_key, sequence)
);

create table outbox (
  id bigint generated always as identity primary key,
  queue text not null,
  subject uuid not null,
  epoch integer not null,
  due_at timestamptz not null default now()
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index outbox_due on outbox (due_at, id);

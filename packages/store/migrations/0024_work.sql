-- Letters that wait for a worker, per lane and consumer, so that the scheduler shares the workers fairly. Rows are
-- inserted and deleted, never updated.
create table work_waiting (
  lane text not null check (lane in ('plain', 'files', 'slow')),
  consumer_id uuid not null,
  seq bigint generated always as identity,
  print_job_key uuid not null,
  since timestamptz not null default now(),
  primary key (lane, consumer_id, seq)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- Letters that wait for a time or for a dependency. They move to work_waiting.
create table work_later (
  print_job_key uuid primary key,
  lane text not null check (lane in ('plain', 'files', 'slow')),
  consumer_id uuid not null,
  due_at timestamptz not null,
  waits_for text
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index work_later_due on work_later (due_at);
create index work_later_dependency on work_later (waits_for, due_at) where waits_for is not null;

-- Batches that were given to a queue and that no worker has taken. A batch without a worker at due_at is given again.
create table work_batch (
  id uuid primary key default gen_random_uuid(),
  lane text not null check (lane in ('plain', 'files', 'slow')),
  queue text not null,
  is_first boolean not null,
  epoch integer not null default 1,
  due_at timestamptz not null,
  -- since when its oldest letter waits for a worker
  waiting_since timestamptz not null default now(),
  consumer_ids uuid[] not null,
  print_job_keys uuid[] not null
) with (fillfactor = 50, autovacuum_vacuum_threshold = 1000);

-- What the letters of a consumer took in a batch that has ended. The scheduler reads and deletes it.
create table work_spent (
  id bigint generated always as identity primary key,
  lane text not null,
  consumer_id uuid not null,
  letters integer not null,
  ms double precision not null
) with (autovacuum_vacuum_threshold = 1000);

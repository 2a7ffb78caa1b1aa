-- Work that waits for a worker. PostgreSQL keeps it; a queue carries only the ids of batches, and can be lost.

-- Letters that wait for a worker, by lane and consumer, so that the scheduler shares the workers fairly.
-- Written by administration, pipeline and print-request. Read by administration, ops-console and pipeline. A row is
-- deleted when its letter joins a batch. No row is updated.
create table work_waiting (
  lane text not null check (lane in ('plain', 'files', 'slow')),
  consumer_id uuid not null,
  seq bigint generated always as identity,
  print_job_key uuid not null,
  since timestamptz not null default now(),
  primary key (lane, consumer_id, seq)
) with (
  -- This table and the next ones have few rows, all of which soon leave: vacuum does not pause there.
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

-- Letters that wait for a time or for a dependency.
-- Written by administration and pipeline. Read by administration, ops-console and pipeline. A row is deleted when its
-- letter moves to work_waiting.
create table work_later (
  print_job_key uuid primary key,
  lane text not null check (lane in ('plain', 'files', 'slow')),
  consumer_id uuid not null,
  due_at timestamptz not null,
  -- the dependency whose return makes it due before its time
  waits_for text
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index work_later_due on work_later (due_at);
create index work_later_dependency on work_later (waits_for, due_at) where waits_for is not null;

-- Batches of letters that were given to a queue, and the lease of the worker that has taken one. A batch that no worker
-- has taken at due_at is given again. Only this narrow row changes when a worker takes letters and renews its lease.
-- Written by administration and pipeline. Read by administration, ops-console and pipeline. A row is deleted when each
-- letter has an outcome, or when its lease has expired.
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
  print_job_keys uuid[] not null,
  -- null: no worker has it
  leased_until timestamptz,
  -- The epoch of each letter when the worker took it. A letter that still has it has no outcome yet.
  letter_epochs integer[],
  check ((leased_until is null) = (letter_epochs is null))
) with (
  fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_cost_delay = 0
);

-- What the letters of a consumer took in a batch that has ended.
-- Written and read by pipeline. A row is deleted when the scheduler has read it.
create table work_spent (
  id bigint generated always as identity primary key,
  lane text not null,
  consumer_id uuid not null,
  letters integer not null,
  ms double precision not null
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- Wake-ups for the queues, written in the transaction that causes them.
-- Written by administration, fulfilment, pipeline and print-request. Read by ops-console and pipeline. A row is
-- deleted when the relay has given it to its queue.
create table outbox (
  id bigint generated always as identity primary key,
  queue text not null,
  subject uuid not null,
  epoch integer not null,
  due_at timestamptz not null default now(),
  -- the dependency whose return makes the wake-up due before its time
  waits_for text
) with (
  fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);
-- The relay takes the due wake-ups of each queue, so that those of a queue that takes nothing, or that this release
-- does not know, hold up no other.
create index outbox_due_of_queue on outbox (queue, due_at, id);
create index outbox_waiting on outbox (waits_for, id) where waits_for is not null;

-- Work that waits for a worker. PostgreSQL keeps it; a queue carries only the ids of batches, and can be lost.

-- Each kind of work has four tables of this shape, so that each service has rights on its kinds only. Those of letters:

-- Letters that wait for a worker, by lane and consumer, so that the scheduler shares the workers fairly.
-- Written by administration, pipeline and print-request. Read by administration, ops-console and pipeline. A row is
-- deleted when its letter joins a batch. No row is updated.
create table letter_waiting (
  lane text not null check (lane in ('plain', 'files', 'slow')),
  consumer_id uuid not null,
  seq bigint generated always as identity,
  -- the key of its print job
  subject uuid not null,
  -- The epoch of its print job when this row was written. A worker drops the row if the print job has another one now.
  version integer not null,
  since timestamptz not null default now(),
  primary key (lane, consumer_id, seq)
) with (
  -- This table and the next ones have few rows, all of which soon leave: vacuum does not pause there.
  autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0
);

-- Letters that wait for a time or for a dependency.
-- Written by administration and pipeline. Read by administration, ops-console and pipeline. A row is deleted when its
-- letter moves to letter_waiting.
create table letter_later (
  subject uuid primary key,
  version integer not null,
  lane text not null check (lane in ('plain', 'files', 'slow')),
  consumer_id uuid not null,
  due_at timestamptz not null,
  -- the dependency whose return makes it due before its time
  waits_for text
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create index letter_later_due on letter_later (due_at);
create index letter_later_dependency on letter_later (waits_for, consumer_id, due_at) where waits_for is not null;

-- Batches of letters that were given to a queue, and the lease of the worker that has taken one. A batch that no worker
-- has taken at due_at is given again. Only this narrow row changes when a worker takes letters and renews its lease.
-- Written by administration and pipeline. Read by administration, ops-console and pipeline. A row is deleted when each
-- letter has an outcome, or when its lease has expired.
create table letter_batch (
  id uuid primary key default gen_random_uuid(),
  lane text not null check (lane in ('plain', 'files', 'slow')),
  queue text not null,
  is_first boolean not null,
  epoch integer not null default 1,
  due_at timestamptz not null,
  -- since when its oldest letter waits for a worker
  waiting_since timestamptz not null default now(),
  consumer_ids uuid[] not null,
  subjects uuid[] not null,
  -- The epoch at which each letter was placed. A letter that still has it has no outcome yet.
  versions integer[] not null,
  -- null: no worker has it
  leased_until timestamptz
) with (
  fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_cost_delay = 0
);

-- What the letters of a consumer took in a batch that has ended.
-- Written and read by pipeline. A row is deleted when the scheduler has read it.
create table letter_spent (
  id bigint generated always as identity primary key,
  lane text not null,
  consumer_id uuid not null,
  size integer not null,
  ms double precision not null
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- What services do again and again for the whole system, such as gathering print runs: the last run of each task, for
-- operators.
-- Written by administration, callbacks, fulfilment, pipeline and thirdparty-access. Read by administration, callbacks,
-- fulfilment, ops-console, pipeline and thirdparty-access. A row that no process has written for 7 days is deleted.
create table periodic_task (
  service text not null,
  name text not null,
  every_ms double precision not null,
  -- the host and the process id of the process that looked last
  owner text not null,
  -- when a process last reported the task
  seen_at timestamptz not null default now(),
  -- when there was last found to be nothing to do, or when a pass last ended without an error
  looked_at timestamptz,
  -- when the pass under way began
  began_at timestamptz,
  -- the last pass that had something to do and ended without an error
  ran_at timestamptz,
  took_ms double precision,
  failed_at timestamptz,
  -- a class or code of fault, never a message
  error text,
  primary key (service, name)
) with (fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02);

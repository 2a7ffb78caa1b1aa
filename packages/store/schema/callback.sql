-- Callbacks owed to consumers: delivered in order, limited by origin, signed, shown with every attempt, and sent again
-- when asked.

-- A callback says a status, that a letter came back, or is a test message. The body is stored as it will be sent, so
-- that every attempt sends the same bytes.
-- Written by administration, callbacks, fulfilment, pipeline and print-request. Read by administration, callbacks,
-- fulfilment, ops-console, pipeline and print-request. A row is deleted when its print job is retired; a test message
-- `DESPATCH_HISTORY_DAYS` after it ended.
create table callback (
  id uuid primary key,
  -- the order in which callbacks were owed, and the cursor of those who list them
  position bigint not null generated always as identity,
  consumer_id uuid not null references consumer (id),
  kind text not null default 'status' check (kind in ('status', 'return', 'test')),
  -- print-job.sql adds the reference
  print_job_key uuid,
  sequence integer not null,
  status text,
  body bytea not null,
  origin text not null,
  -- the contract whose callbacks go one at a time; null for most
  strict_contract_id uuid references contract (id),
  -- how many calls at once its contract allows to the origin
  calls_max smallint not null default 8,
  -- of a test message, which belongs to no print job
  destination_sealed bytea,
  retry_params jsonb,

  state text not null default 'DUE' check (state in ('WAITING', 'DUE', 'DELIVERED', 'DEAD')),
  end_reason text,
  attempts integer not null default 0,
  -- attempts that were made before the current round
  attempts_before integer not null default 0,
  replays integer not null default 0,
  -- when it was owed, or last asked for again: the beginning of the current round of attempts
  owed_since timestamptz not null default now(),
  first_attempt_at timestamptz,
  -- set by the first attempt of a round when there are to be others
  window_ends_at timestamptz,
  due_at timestamptz,
  -- Each outcome and each action of an operator raises it. What was begun under an earlier one changes nothing.
  attempt_epoch integer not null default 0,
  created_at timestamptz not null default now(),
  ended_at timestamptz,

  unique (print_job_key, sequence),
  check ((state = 'DUE') = (due_at is not null)),
  constraint callback_ended check ((state in ('WAITING', 'DUE')) = (ended_at is null)),
  constraint callback_dead_reason check ((state = 'DEAD') = (end_reason is not null)),
  constraint callback_of_print_job check ((kind = 'test') = (print_job_key is null)),
  constraint callback_status_told check ((kind = 'test') = (status is null))
) with (
  -- room on the page for the versions that follow each other quickly
  fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000
);
create index callback_due on callback (due_at) where state = 'DUE';
-- Callbacks that became owed together would share one entry, which stays until all of them have been delivered. Each
-- search for due callbacks would read them all again. An entry each is skipped as soon as its callback is delivered.
create index callback_of_origin on callback (origin, due_at) with (deduplicate_items = off) where state = 'DUE';
-- Last attempts of their windows, which are made even where much else waits, or an open breaker has held back others. The
-- conditions of this and the next index say DUE in other words. Otherwise the search could use the index before, and read
-- all that waits for an origin.
create index callback_window on callback (origin, window_ends_at)
  where due_at is not null and window_ends_at is not null;
-- attempts that an open breaker holds back for some minutes at most
create index callback_promised on callback (origin, owed_since)
  where due_at is not null and (attempts = attempts_before or window_ends_at is null);
-- DUE comes before WAITING: the first entry of a contract shows whether one is owed, and which is next
create index callback_in_strict_order on callback (strict_contract_id, state, position)
  where strict_contract_id is not null and state in ('WAITING', 'DUE');
create index callback_of_consumer on callback (consumer_id, position);
create index callback_dead on callback (consumer_id, position) where state = 'DEAD';
create index callback_dead_of_origin on callback (origin, position) where state = 'DEAD';
create index callback_died on callback (ended_at) where state = 'DEAD';
-- test messages hold a secret of their own, and are few
create index callback_test on callback (id) where kind = 'test';

-- Turns of origins: the callbacks that a process has taken for one, and their lease. A callback that has ended stays here for
-- a moment, but has another epoch then.
-- Written by callbacks. Read by administration, callbacks, ops-console and print-request. A row is deleted when its
-- callbacks have ended, or when its lease has expired.
create table callback_batch (
  id uuid primary key,
  origin text not null,
  -- the callbacks in the order in which they are called, and the epoch at which each was taken
  subjects uuid[] not null,
  versions integer[] not null,
  -- how many are called at once
  calls_max smallint not null,
  taken_at timestamptz not null default now(),
  leased_until timestamptz not null
) with (
  fillfactor = 50, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_cost_delay = 0
);
create index callback_batch_of_origin on callback_batch (origin);

-- Attempts at a callback. Only the statement that updates the callback writes one, so there is no foreign key: checking
-- it took a fifth of the time of recording a delivery.
-- Written by callbacks and pipeline. Read by administration, callbacks, ops-console, pipeline and print-request. A
-- row is deleted with its callback.
create table callback_attempt (
  callback_id uuid not null,
  number integer not null,
  planned_at timestamptz not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  -- the address that was connected to
  address text,
  outcome text not null,
  http_status integer,
  -- the first 4 KiB of what the consumer answered, without its own credentials
  answer bytea,
  -- class of error where there was no answer
  failure text,
  next_at timestamptz,
  primary key (callback_id, number)
);

-- What is known of a place that callbacks go to, shared by all processes that deliver. Absent: nothing is wrong, and
-- few calls were made.
-- Written by callbacks and pipeline. Read by administration, callbacks, ops-console and pipeline. A row is deleted
-- `DESPATCH_HISTORY_DAYS` after the last call.
create table callback_origin (
  origin text primary key,
  breaker text not null default 'closed' check (breaker in ('closed', 'open', 'half-open')),
  -- open: until when; half-open: until when the probe counts as lost
  breaker_until timestamptz,
  failures_in_row integer not null default 0,
  -- calls and failures of the last minutes
  minutes jsonb not null default '[]',
  -- calls that may be made at once, as of a moment
  tokens double precision,
  tokens_at timestamptz,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_outcome text,
  check ((breaker = 'closed') = (breaker_until is null)),
  check ((tokens is null) = (tokens_at is null))
);

-- What a consumer verifies callbacks with. Two may sign at the same time, while the consumer changes from one to the
-- other.
-- Written by administration and print-request. Read by administration, callbacks and print-request. A row is deleted
-- by its consumer, or when its consumer makes another one after it expired.
create table callback_secret (
  id uuid primary key,
  consumer_id uuid not null references consumer (id),
  secret_sealed bytea not null,
  created_at timestamptz not null default now(),
  -- null: until another is made
  expires_at timestamptz
);
create unique index callback_secret_one_newest on callback_secret (consumer_id) where expires_at is null;
create index callback_secret_of_consumer on callback_secret (consumer_id, created_at);

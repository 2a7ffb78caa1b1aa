-- Callbacks that are delivered in order, kept apart by origin, signed, shown with every attempt, and sent again when asked.

-- Where a callback goes is a secret: target and credentials are sealed together. Older print jobs keep the target in
-- callback_params and the credentials in callback_authentication_sealed until they are sealed anew.
alter table print_job
  add column callback_destination_sealed bytea,
  -- scheme, host and port of the target: what calls are limited by
  add column callback_origin text,
  -- the consumer said 410 Gone: it wants no further callback of this print job
  add column callback_gone_at timestamptz;
update print_job set
  callback_origin = coalesce(
    lower(substring(callback_params ->> 'target' from '(?i)^(https?://[^/?#@]{1,255})(?:[/?#]|$)')), 'unreadable'),
  callback_gone_at = (
    select min(attempt.started_at) from callback join callback_attempt attempt on attempt.callback_id = callback.id
    where callback.print_job_key = print_job.key and attempt.http_status = 410)
where callback_params is not null;

alter table contract
  -- strict: the callbacks of all its print jobs go one at a time, each after the one before has ended
  add column callback_order text not null default 'print-job' check (callback_order in ('print-job', 'strict'));

alter table callback
  -- the order in which callbacks were owed, and the cursor of those who list them
  add column position bigint,
  add column consumer_id uuid references consumer (id),
  add column origin text,
  -- the contract whose callbacks go one at a time; null for most
  add column strict_lane uuid references contract (id),
  -- when it was owed, or last asked for again: the beginning of the round of attempts that runs
  add column owed_since timestamptz not null default now(),
  add column replays integer not null default 0,
  -- attempts that were made before the round that runs
  add column attempts_before integer not null default 0,
  -- set by the first attempt of a round when there are to be others
  add column window_ends_at timestamptz,
  add column end_reason text,
  -- of a test message, which belongs to no print job
  add column destination_sealed bytea,
  add column retry_params jsonb,
  drop constraint callback_state_check,
  drop constraint callback_check1,
  drop constraint callback_kind_check,
  alter column print_job_key drop not null,
  alter column status drop not null;
update callback set
  position = place,
  consumer_id = job.consumer_id,
  origin = coalesce(job.callback_origin, 'unreadable'),
  owed_since = callback.created_at,
  window_ends_at = case when (job.callback_params #>> '{retryParams,enabled}')::boolean and callback.first_attempt_at is not null
    then callback.first_attempt_at
      + coalesce((job.callback_params #>> '{retryParams,maxRetryWindow}')::integer, 10800) * interval '1 second' end,
  state = case when callback.state = 'ABANDONED' then 'DEAD' else callback.state end,
  end_reason = case when callback.state = 'ABANDONED' then coalesce((
    select case when attempt.http_status = 410 then 'gone'
      when attempt.http_status between 400 and 499 and attempt.http_status not in (408, 425, 429) then 'refused'
      when attempt.outcome = 'unsendable' then 'unsendable'
      when (job.callback_params #>> '{retryParams,enabled}')::boolean then 'window-ended'
      else 'retries-off' end
    from callback_attempt attempt where attempt.callback_id = callback.id and attempt.number = callback.attempts), 'gone') end
from print_job job, (
  select id, row_number() over (order by created_at, sequence, id) as place from callback
) in_order
where job.key = callback.print_job_key and in_order.id = callback.id;
-- found out when they would have been called, until now
update callback set state = 'DEAD', end_reason = 'gone', due_at = null, ended_at = now(), lease_until = null
from print_job job
where job.key = callback.print_job_key and job.callback_gone_at is not null and callback.state = 'DUE' and callback.attempts = 0;
alter table callback
  alter column position set not null,
  alter column position add generated always as identity,
  alter column consumer_id set not null,
  alter column origin set not null,
  add constraint callback_state_check check (state in ('WAITING', 'DUE', 'DELIVERED', 'DEAD')),
  add constraint callback_ended check ((state in ('WAITING', 'DUE')) = (ended_at is null)),
  add constraint callback_dead_reason check ((state = 'DEAD') = (end_reason is not null)),
  add constraint callback_kind_check check (kind in ('status', 'return', 'test')),
  add constraint callback_of_print_job check ((kind = 'test') = (print_job_key is null)),
  add constraint callback_status_told check ((kind = 'test') = (status is null)),
  -- room on the page for the versions that follow each other quickly
  set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
select setval(pg_get_serial_sequence('callback', 'position'), coalesce(max(position), 0) + 1, false) from callback;
drop index callback_abandoned;
drop index callback_due;
create index callback_due on callback (due_at) where state = 'DUE' and lease_until is null;
create index callback_of_origin on callback (origin, due_at) where state = 'DUE' and lease_until is null;
-- last attempts of their windows, which are made even where much else waits
create index callback_last on callback (origin, due_at)
  where state = 'DUE' and lease_until is null and due_at >= window_ends_at;
-- the same when an open breaker has held them back until then
create index callback_window on callback (origin, window_ends_at)
  where state = 'DUE' and lease_until is null and window_ends_at is not null;
-- attempts that an open breaker holds back no longer than for some minutes
create index callback_promised on callback (origin, owed_since)
  where state = 'DUE' and lease_until is null and (attempts = attempts_before or window_ends_at is null);
-- the id keeps the entries of what is over from gathering in one place
create index callback_held on callback (origin, id) where state = 'DUE' and lease_until is not null;
-- DUE comes before WAITING: the first entry of a lane tells whether it is free, and whose turn it is
create index callback_in_lane on callback (strict_lane, state, position)
  where strict_lane is not null and state in ('WAITING', 'DUE');
create index callback_of_consumer on callback (consumer_id, position);
create index callback_dead on callback (consumer_id, position) where state = 'DEAD';
create index callback_dead_of_origin on callback (origin, position) where state = 'DEAD';
create index callback_died on callback (ended_at) where state = 'DEAD';
-- test messages hold a secret of their own, and are few
create index callback_test on callback (id) where kind = 'test';

alter table callback_attempt
  -- the address that was connected to
  add column address text,
  -- the first 4 KiB of what the consumer answered, without its own credentials
  add column answer bytea,
  -- class of error where there was no answer
  add column failure text;
update callback_attempt set outcome = case
  when outcome = 'answered' and http_status = 410 then 'gone'
  when outcome = 'answered' and http_status between 300 and 399 then 'redirect'
  when outcome = 'answered' then 'refused'
  when outcome = 'unreached' then 'connection_failed'
  when outcome = 'unsendable' then 'unsendable'
  when outcome = 'fault' then 'dns_error'
  else outcome end;

-- What is known of a place that callbacks go to, shared by all who deliver. Absent: nothing is amiss, and few calls were made.
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

-- What a consumer verifies callbacks with. Two may sign at the same time, while the consumer changes from one to the other.
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

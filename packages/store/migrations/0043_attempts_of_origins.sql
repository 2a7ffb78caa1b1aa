-- Attempts of callbacks are also counted by half hour: by consumer and origin, and by the time to answer. Operators see
-- the success of each origin, and how fast receivers answer, without reading the attempts.
alter table count_total drop constraint if exists count_total_what_check;
alter table count_total add constraint count_total_what_check
  check (what in (
    'print_job', 'submission', 'document', 'callback', 'attempt', 'attempt_of_origin', 'time_to_answer'));

create or replace function half_hour_of(at timestamptz) returns text language sql stable as $$
  select to_char(date_bin('30 minutes', at, timestamptz '2000-01-01Z') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;

-- The subject of an attempt of an origin is whether the attempt delivered its callback, the consumer, and the origin. The
-- subject of a time to answer is the upper bound of its bucket in milliseconds: packages/domain/src/callback/answer-time.ts
-- has the same bounds. A function keeps its plans, perhaps from when the tables were empty, so it may not read a table
-- from end to end.
create or replace function count_callback_attempts() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  bounds constant integer[] := '{1, 2, 3, 5, 7, 10, 15, 22, 33, 47, 68, 100, 150, 220, 330, 470, 680, 1000, 1500, 2200,
    3300, 4700, 6800, 10000, 15000}';
begin
  insert into count_change (what, subject, state, count)
  select what, subject, state, count(*)
  from (
    select case outcome when 'delivered' then 'delivered' else 'failed' end as result,
      (select consumer_id || ' ' || origin from callback where id = added.callback_id) as owed,
      case when http_status is not null or outcome = 'timeout'
        then bounds[least(1 + width_bucket(duration_ms - 1, bounds), cardinality(bounds))] end as bound,
      period_of_submission(started_at) as period, half_hour_of(started_at) as half_hour
    from added offset 0) attempt
  cross join lateral (values
    ('attempt', result, period),
    ('attempt_of_origin', result || ' ' || owed, half_hour),
    ('time_to_answer', bound::text, half_hour)) as counted (what, subject, state)
  where subject is not null
  group by what, subject, state;
  return null;
end
$$;

-- As before, without what lasts for a day.
create or replace view count_difference as
  select what, subject, state, sum(count)::bigint as count
  from (
    select 'print_job' as what, contract_id::text as subject, status as state, count(*) as count
    from print_job where deleted_at is null group by contract_id, status
    union all
    select 'document', batch_number, account, count(*)
    from (
      select batch_number, document_account(outcome, posting_id, sequence, removed_at, voided_at) as account
      from print_run_document) document
    where account is not null group by batch_number, account
    union all
    select 'callback', consumer_id::text, 'DUE', count(*) from callback where state = 'DUE' group by consumer_id
    union all
    select what, subject, state, -count from current_count where what in ('print_job', 'document', 'callback')) known
  group by what, subject, state having sum(count) <> 0;

-- Attempts of callbacks are counted by outcome and by the ten seconds in which they began, so that operators see callbacks
-- a minute without reading the attempts. A trigger counts them, so that services of the previous release count, too.
alter table count_total drop constraint if exists count_total_what_check;
alter table count_total add constraint count_total_what_check
  check (what in ('print_job', 'submission', 'document', 'callback', 'attempt'));

-- The subject is whether the attempt delivered its callback.
create or replace function count_callback_attempts() returns trigger language plpgsql as $$
begin
  insert into count_change (what, subject, state, count)
  select 'attempt', case outcome when 'delivered' then 'delivered' else 'failed' end, period_of_submission(started_at),
    count(*)
  from added group by 2, 3;
  return null;
end
$$;

-- As before, without what lasts for two hours.
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
    select what, subject, state, -count from current_count where what not in ('submission', 'attempt')) known
  group by what, subject, state having sum(count) <> 0;

-- commit
create or replace trigger callback_attempts_counted after insert on callback_attempt
  referencing new table as added for each statement execute function count_callback_attempts();

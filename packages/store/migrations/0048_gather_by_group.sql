-- Letters that no site can take are not read by each pass that gathers: an index has the letters of a contract, despatch
-- method and number of sheets together. The documents that a site gets in a day are counted while they are in its print
-- runs, so that a document that leaves gives its place back.
alter table count_total drop constraint if exists count_total_what_check;
alter table count_total add constraint count_total_what_check
  check (what in (
    'print_job', 'submission', 'document', 'routed', 'callback', 'attempt', 'attempt_of_origin', 'time_to_answer'));

-- The London day on which a document was put into its print run. It is unknown for those from before.
alter table print_run_document add column if not exists routed_on date;
alter table print_run_document alter column routed_on set default ((now() at time zone 'Europe/London')::date);

-- The day on which a document counts at its site; null if it will not be printed in its print run.
create or replace function day_of_routing(
  routed_on date, outcome text, removed_at timestamptz, voided_at timestamptz
) returns text language sql stable as $$
  select case when removed_at is null and voided_at is null and outcome is distinct from 'REFUSED'
    and outcome is distinct from 'RECALLED' then to_char(routed_on, 'YYYY-MM-DD') end
$$;

-- As before, and what was routed. Its subject is the site, its state the day. A function keeps its plans, perhaps from
-- when the tables were empty, so it may not read a table from end to end.
create or replace function count_print_run_documents() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if tg_op = 'INSERT' then
    insert into count_change (what, subject, state, count)
    select 'document', batch_number, account, count(*)
    from (select batch_number, document_account(outcome, posting_id, sequence, removed_at, voided_at) as account
      from added) document
    where account is not null group by batch_number, account
    union all
    select 'routed', run.provider_id || ' ' || run.print_location, day, sum(documents)
    from (
      select batch_number, day_of_routing(routed_on, outcome, removed_at, voided_at) as day, count(*) as documents
      from added group by 1, 2) document
    join print_run run using (batch_number)
    where day is not null group by 2, 3;
  else
    insert into count_change (what, subject, state, count)
    select 'document', batch_number, account, sum(change)
    from (
      select batch_number, document_account(outcome, posting_id, sequence, removed_at, voided_at) as account, 1 as change
      from added
      union all
      select batch_number, document_account(outcome, posting_id, sequence, removed_at, voided_at), -1
      from removed) document
    where account is not null group by batch_number, account having sum(change) <> 0
    union all
    select 'routed', run.provider_id || ' ' || run.print_location, day, sum(change)
    from (
      select batch_number, day, sum(change) as change
      from (
        select batch_number, day_of_routing(routed_on, outcome, removed_at, voided_at) as day, 1 as change from added
        union all
        select batch_number, day_of_routing(routed_on, outcome, removed_at, voided_at), -1 from removed) document
      where day is not null group by batch_number, day having sum(change) <> 0) moved
    join print_run run using (batch_number)
    group by 2, 3 having sum(change) <> 0;
  end if;
  return null;
end
$$;

-- As before, and what was routed today. What was routed on other days does not last.
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
    select 'routed', run.provider_id || ' ' || run.print_location, to_char(document.routed_on, 'YYYY-MM-DD'), count(*)
    from print_run_document document join print_run run using (batch_number)
    where document.routed_on = (now() at time zone 'Europe/London')::date
      and day_of_routing(document.routed_on, document.outcome, document.removed_at, document.voided_at) is not null
    group by 2, 3
    union all
    select 'callback', consumer_id::text, 'DUE', count(*) from callback where state = 'DUE' group by consumer_id
    union all
    select what, subject, state, -count from current_count
    where what in ('print_job', 'document', 'callback')
      or (what = 'routed' and state = to_char(now() at time zone 'Europe/London', 'YYYY-MM-DD'))) known
  group by what, subject, state having sum(count) <> 0;

-- What was routed today before this migration stays counted until the day ends. The columns of print_site from which it
-- comes are for services of the previous release only.
insert into count_change (what, subject, state, count)
select 'routed', provider_id || ' ' || print_location, to_char(routed_on, 'YYYY-MM-DD'), routed_documents
from print_site site
where routed_on = (now() at time zone 'Europe/London')::date and routed_documents > 0
  and not exists (
    select from current_count where what = 'routed' and subject = site.provider_id || ' ' || site.print_location);
-- commit
-- concurrently
-- Letters in no print run, by what decides which sites can take them, in the order in which they are ready.
create index concurrently print_job_to_gather on print_job (
  contract_id, (coalesce(produced_as, standard_params ->> 'despatchMethod', 'SECOND')), (coalesce(document_sheets, 1)),
  (greatest(created_at, not_before, hold_ended_at)), (coalesce(route_after, '-infinity'::timestamptz)))
  where status = 'PENDING' and batch_number is null and deleted_at is null and held_at is null;
drop index concurrently if exists print_job_gatherable;
drop index concurrently if exists print_job_unroutable;

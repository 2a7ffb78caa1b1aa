-- What operators look at is kept, not counted: a million rows take a second to count. A change of a count is a row of
-- its own, because letters that update one row wait for each other. The changes are added to the totals from time to
-- time. Triggers write the changes, once for each statement, so that no statement can forget them
-- (docs/decisions/0022-counts-are-kept.md). Print jobs are counted by their events, because leases update print jobs
-- but write no event.

-- Totals of the counts.
-- Written and read by pipeline. Rows of periods are deleted within 26 hours; a print run and a contract keep one for
-- each state.
create table count_total (
  what text not null constraint count_total_what_check check (what in (
    'print_job', 'submission', 'document', 'routed', 'callback', 'attempt', 'attempt_of_origin', 'time_to_answer')),
  -- Of print jobs and submissions, the contract. Of documents, the print run. Of routed documents, the site. Of
  -- callbacks, the consumer. Of attempts, whether it delivered the callback; of those of an origin, the consumer and
  -- the origin, too. Of times to answer, the upper bound of the bucket in milliseconds.
  subject text not null,
  -- of submissions and attempts, when the ten seconds or the half hour began; of routed documents, the day
  state text not null,
  count bigint not null,
  primary key (what, state, subject)
) with (fillfactor = 50);

-- Changes of the counts, which the triggers of this file write with the rights of the service.
-- Written by administration, callbacks, fulfilment, pipeline and print-request. Read by pipeline. A row is deleted
-- when it is added to its total.
create table count_change (
  id bigint generated always as identity primary key,
  what text not null,
  subject text not null,
  state text not null,
  count bigint not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create view current_count as
  select what, subject, state, sum(count)::bigint as count
  from (
    select what, subject, state, count from count_total
    union all
    select what, subject, state, count from count_change) known
  group by what, subject, state;

-- Volumes of days (London). Print jobs have no despatch method. A letter has no postage class if its provider reported
-- none.
-- Written and read by pipeline. A row stays: there are some for each contract and day.
create table volume_total (
  contract_id uuid not null,
  day date not null,
  despatch_method text,
  postage_class text,
  accepted bigint not null,
  rejected bigint not null,
  deleted bigint not null,
  letters bigint not null,
  sheets bigint not null,
  pages bigint not null,
  unique nulls not distinct (day, contract_id, despatch_method, postage_class)
) with (fillfactor = 50);

-- Changes of the volumes, which the triggers of this file write with the rights of the service.
-- Written by administration, fulfilment, pipeline and print-request. Read by pipeline. A row is deleted when it is
-- added to its total.
create table volume_change (
  id bigint generated always as identity primary key,
  contract_id uuid not null,
  day date not null,
  despatch_method text,
  postage_class text,
  accepted bigint not null default 0,
  rejected bigint not null default 0,
  deleted bigint not null default 0,
  letters bigint not null default 0,
  sheets bigint not null default 0,
  pages bigint not null default 0
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
create view current_volume as
  select contract_id, day, despatch_method, postage_class, sum(accepted)::bigint as accepted,
    sum(rejected)::bigint as rejected, sum(deleted)::bigint as deleted, sum(letters)::bigint as letters,
    sum(sheets)::bigint as sheets, sum(pages)::bigint as pages
  from (
    select contract_id, day, despatch_method, postage_class, accepted, rejected, deleted, letters, sheets, pages
    from volume_total
    union all
    select contract_id, day, despatch_method, postage_class, accepted, rejected, deleted, letters, sheets, pages
    from volume_change) known
  group by day, contract_id, despatch_method, postage_class;

-- What is known of a document; null if it is not in its run any more.
create function document_account(
  outcome text, posting_id uuid, sequence integer, removed_at timestamptz, voided_at timestamptz
) returns text language sql immutable as $$
  select case when removed_at is not null or voided_at is not null then null
    when outcome is not null then lower(outcome)
    when posting_id is not null then 'posted'
    when sequence is not null then 'outstanding'
    else 'gathered' end
$$;
-- The day on which a document counts at its site; null if it will not be printed in its print run.
create function day_of_routing(
  routed_on date, outcome text, removed_at timestamptz, voided_at timestamptz
) returns text language sql stable as $$
  select case when removed_at is null and voided_at is null and outcome is distinct from 'REFUSED'
    and outcome is distinct from 'RECALLED' then to_char(routed_on, 'YYYY-MM-DD') end
$$;
create function postage_class(properties jsonb) returns text language sql immutable as $$
  select jsonb_path_query_first(properties, '$[*] ? (@.key == "postageClass").value') #>> '{}'
$$;
create function period_of_submission(at timestamptz) returns text language sql stable as $$
  select to_char(date_bin('10 seconds', at, timestamptz '2000-01-01Z') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;
create function half_hour_of(at timestamptz) returns text language sql stable as $$
  select to_char(date_bin('30 minutes', at, timestamptz '2000-01-01Z') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;

-- Each change of status has an event. The event before shows which status the print job leaves. A function keeps its
-- plans, perhaps from when the tables were empty, so it may not read a table from end to end.
create function count_print_job_events() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  with event as materialized (
    select transition, status, at, (at at time zone 'Europe/London')::date as day,
      (select contract_id from print_job where key = added.print_job_key) as contract_id,
      (select earlier.status from print_job_event earlier
        where earlier.print_job_key = added.print_job_key and earlier.sequence = added.sequence - 1) as status_before
    from added
  ), counted as (
    insert into count_change (what, subject, state, count)
    select 'print_job', contract_id, state, sum(change)
    from event cross join lateral (values
      (status_before, -1), (case when transition <> 'delete' then status end, 1)) as moved (state, change)
    where contract_id is not null and state is not null
    group by contract_id, state having sum(change) <> 0
    union all
    select 'submission', contract_id, period_of_submission(at), count(*)
    from event where transition = 'submit' and contract_id is not null
    group by contract_id, period_of_submission(at)
  )
  insert into volume_change (contract_id, day, accepted, rejected, deleted)
  select contract_id, day, count(*) filter (where transition = 'submit'),
    count(*) filter (where transition = 'reject'), count(*) filter (where transition = 'delete')
  from event where transition in ('submit', 'reject', 'delete') and contract_id is not null
  group by contract_id, day;
  return null;
end
$$;
create trigger print_job_events_counted after insert on print_job_event
  referencing new table as added for each statement execute function count_print_job_events();

-- The documents of a print run by what is known of them, and those that its site got on a day, so that a document that
-- leaves gives its place back.
create function count_print_run_documents() returns trigger language plpgsql set enable_seqscan = off as $$
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
create trigger print_run_documents_inserted_counted after insert on print_run_document
  referencing new table as added for each statement execute function count_print_run_documents();
create trigger print_run_documents_updated_counted after update on print_run_document
  referencing old table as removed new table as added for each statement execute function count_print_run_documents();

create function count_callbacks() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into count_change (what, subject, state, count)
    select 'callback', consumer_id, 'DUE', count(*) from added where state = 'DUE' group by consumer_id;
  else
    insert into count_change (what, subject, state, count)
    select 'callback', consumer_id, 'DUE', sum(change)
    from (
      select consumer_id, 1 as change from added where state = 'DUE'
      union all
      select consumer_id, -1 from removed where state = 'DUE') due
    group by consumer_id having sum(change) <> 0;
  end if;
  return null;
end
$$;
create trigger callbacks_inserted_counted after insert on callback
  referencing new table as added for each statement execute function count_callbacks();
create trigger callbacks_updated_counted after update on callback
  referencing old table as removed new table as added for each statement execute function count_callbacks();

-- Attempts of callbacks by the ten seconds in which they began, and by half hour: by consumer and origin, and by the
-- time to answer. packages/domain/src/callback/answer-time.ts has the same bounds.
create function count_callback_attempts() returns trigger language plpgsql set enable_seqscan = off as $$
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
create trigger callback_attempts_counted after insert on callback_attempt
  referencing new table as added for each statement execute function count_callback_attempts();

-- The letters of a posting count when it is confirmed.
create function count_posting() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  insert into volume_change (contract_id, day, despatch_method, postage_class, letters, sheets, pages)
  select contract_id, (confirmed_at at time zone 'Europe/London')::date, despatch_method, class,
    change * letters, change * sheets, change * pages
  from (
    select job.contract_id, run.despatch_method,
      coalesce(postage_class(document.despatch_properties), postage_class(new.despatch_properties)) as class,
      count(*) as letters, sum(document.sheets) as sheets, sum(document.pages) as pages
    from print_run_document document
    join print_run run on run.batch_number = document.batch_number
    join print_job job on job.key = document.print_job_key
    where document.posting_id = new.id
    group by 1, 2, 3) posted
  cross join (values (old.confirmed_at, -1), (new.confirmed_at, 1)) as moved (confirmed_at, change)
  where confirmed_at is not null;
  return null;
end
$$;
create trigger posting_counted after update of confirmed_at on posting
  for each row when (old.confirmed_at is distinct from new.confirmed_at) execute function count_posting();

-- How far the counts are from what the tables contain, except those that last for a day or less. A difference is read
-- in one snapshot, so there is none while letters change.
create view count_difference as
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

-- The same of the volumes. Days whose letters are gone differ.
create view volume_difference as
  select contract_id, day, despatch_method, postage_class, sum(accepted)::bigint as accepted,
    sum(rejected)::bigint as rejected, sum(deleted)::bigint as deleted, sum(letters)::bigint as letters,
    sum(sheets)::bigint as sheets, sum(pages)::bigint as pages
  from (
    select job.contract_id, (event.at at time zone 'Europe/London')::date as day,
      null as despatch_method, null as postage_class,
      count(*) filter (where transition = 'submit') as accepted,
      count(*) filter (where transition = 'reject') as rejected,
      count(*) filter (where transition = 'delete') as deleted, 0 as letters, 0 as sheets, 0 as pages
    from print_job_event event join print_job job on job.key = event.print_job_key
    where transition in ('submit', 'reject', 'delete')
    group by 1, 2
    union all
    select job.contract_id, (posting.confirmed_at at time zone 'Europe/London')::date, run.despatch_method,
      coalesce(postage_class(document.despatch_properties), postage_class(posting.despatch_properties)),
      0, 0, 0, count(*), sum(document.sheets), sum(document.pages)
    from posting
    join print_run_document document on document.posting_id = posting.id
    join print_run run on run.batch_number = document.batch_number
    join print_job job on job.key = document.print_job_key
    where posting.confirmed_at is not null
    group by 1, 2, 3, 4
    union all
    select contract_id, day, despatch_method, postage_class, -accepted, -rejected, -deleted, -letters, -sheets, -pages
    from current_volume) known
  group by contract_id, day, despatch_method, postage_class
  having (sum(accepted), sum(rejected), sum(deleted), sum(letters), sum(sheets), sum(pages)) <> (0, 0, 0, 0, 0, 0);

-- The transaction of this database that has been open for longest, by the name that its session gave itself. It runs
-- with the rights of the owner, because a role does not see when the transactions of other roles began.
create function oldest_transaction() returns table (application text, since timestamptz)
  language sql stable security definer set search_path = public, pg_temp as $$
  select application_name, xact_start from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and xact_start is not null
    and pid <> pg_backend_pid()
  order by xact_start limit 1
$$;
revoke execute on function oldest_transaction() from public;

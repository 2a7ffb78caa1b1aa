-- What operators look at is kept, not counted: a million rows take a second to count. A change of a count is a row of its
-- own, because letters that update one row wait for each other. The changes are added to the totals from time to time.
-- Triggers write the changes, so that services of the previous release count, too. They work once for each statement.
-- Print jobs are counted by their events, because leases update print jobs but write no event.
create table if not exists count_total (
  what text not null check (what in ('print_job', 'submission', 'document', 'callback')),
  -- the contract of print jobs and submissions, the print run of documents, the consumer of callbacks
  subject text not null,
  -- of submissions: when the ten seconds began in which they came
  state text not null,
  count bigint not null,
  primary key (what, state, subject)
) with (fillfactor = 50);
create table if not exists count_change (
  id bigint generated always as identity primary key,
  what text not null,
  subject text not null,
  state text not null,
  count bigint not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create or replace view current_count as
  select what, subject, state, sum(count)::bigint as count
  from (
    select what, subject, state, count from count_total
    union all
    select what, subject, state, count from count_change) known
  group by what, subject, state;

-- Days of London. Print jobs have no despatch method. A letter has no postage class if its provider reported none.
create table if not exists volume_total (
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
create table if not exists volume_change (
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
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create or replace view current_volume as
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
create or replace function document_account(
  outcome text, posting_id uuid, sequence integer, removed_at timestamptz, voided_at timestamptz
) returns text language sql immutable as $$
  select case when removed_at is not null or voided_at is not null then null
    when outcome is not null then lower(outcome)
    when posting_id is not null then 'posted'
    when sequence is not null then 'outstanding'
    else 'gathered' end
$$;
create or replace function postage_class(properties jsonb) returns text language sql immutable as $$
  select jsonb_path_query_first(properties, '$[*] ? (@.key == "postageClass").value') #>> '{}'
$$;

create or replace function period_of_submission(at timestamptz) returns text language sql stable as $$
  select to_char(date_bin('10 seconds', at, timestamptz '2000-01-01Z') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
$$;

-- Each change of status has an event. The event before tells which status the print job leaves. A function keeps its
-- plans, perhaps from when the tables were empty, so it may not read a table from end to end.
create or replace function count_print_job_events() returns trigger language plpgsql set enable_seqscan = off as $$
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

create or replace function count_print_run_documents() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into count_change (what, subject, state, count)
    select 'document', batch_number, account, count(*)
    from (select batch_number, document_account(outcome, posting_id, sequence, removed_at, voided_at) as account
      from added) document
    where account is not null group by batch_number, account;
  else
    insert into count_change (what, subject, state, count)
    select 'document', batch_number, account, sum(change)
    from (
      select batch_number, document_account(outcome, posting_id, sequence, removed_at, voided_at) as account, 1 as change
      from added
      union all
      select batch_number, document_account(outcome, posting_id, sequence, removed_at, voided_at), -1
      from removed) document
    where account is not null group by batch_number, account having sum(change) <> 0;
  end if;
  return null;
end
$$;

create or replace function count_callbacks() returns trigger language plpgsql as $$
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

-- The letters of a posting count when it is confirmed.
create or replace function count_posting() returns trigger language plpgsql set enable_seqscan = off as $$
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

-- commit
create or replace trigger print_job_events_counted after insert on print_job_event
  referencing new table as added for each statement execute function count_print_job_events();

-- commit
create or replace trigger print_run_documents_inserted_counted after insert on print_run_document
  referencing new table as added for each statement execute function count_print_run_documents();
create or replace trigger print_run_documents_updated_counted after update on print_run_document
  referencing old table as removed new table as added for each statement execute function count_print_run_documents();

-- commit
create or replace trigger callbacks_inserted_counted after insert on callback
  referencing new table as added for each statement execute function count_callbacks();
create or replace trigger callbacks_updated_counted after update on callback
  referencing old table as removed new table as added for each statement execute function count_callbacks();

-- commit
create or replace trigger posting_counted after update of confirmed_at on posting
  for each row when (old.confirmed_at is distinct from new.confirmed_at) execute function count_posting();

-- commit
-- How far the counts are from what the tables contain, except those of submissions, which last for two hours. A
-- difference is read in one snapshot, so there is none while letters change.
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
    select what, subject, state, -count from current_count where what <> 'submission') known
  group by what, subject, state having sum(count) <> 0;
create or replace view volume_difference as
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

-- commit
-- The counts of what was there before the triggers. What the triggers have counted since is subtracted.
insert into count_change (what, subject, state, count)
select what, subject, state, count from count_difference;
insert into volume_change (contract_id, day, despatch_method, postage_class, accepted, rejected, deleted, letters, sheets,
  pages)
select contract_id, day, despatch_method, postage_class, accepted, rejected, deleted, letters, sheets, pages
from volume_difference;

-- commit
-- concurrently
-- Letters that no site could take. The others never enter this index: until a letter is first looked at, it may be routed
-- from the time that its sender named.
create index concurrently print_job_unroutable on print_job (updated_at)
  where status = 'PENDING' and batch_number is null and deleted_at is null and held_at is null
    and route_after > coalesce(not_before, '-infinity'::timestamptz);

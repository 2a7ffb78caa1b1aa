-- Events of print jobs and search terms are divided into partitions by the month of their letters, so that those of
-- letters that are gone are dropped, not deleted. What was there becomes the first partition without being rewritten.
create table if not exists letter_partition (
  parent text not null check (parent in ('print_job_event', 'search_term')),
  name text primary key,
  -- null: it has everything before its end
  starts_on date,
  ends_on date not null,
  unique (parent, ends_on)
);

-- Milliseconds since 1970. They begin with a period of search terms, so that both tables divide the letters alike.
create or replace function letter_partition_ms(day date) returns bigint language sql immutable strict as $$
  select (extract(epoch from day) * 1000)::bigint >> 27 << 27
$$;
-- The least key of a print job, and the least search term, of that day.
create or replace function least_letter_key(day date) returns uuid language sql immutable strict as $$
  select rpad(lpad(to_hex(letter_partition_ms(day)), 12, '0'), 32, '0')::uuid
$$;
create or replace function least_search_term(day date) returns bigint language sql immutable strict as $$
  select ((letter_partition_ms(day) >> 27) - (1 << 20)) << 43
$$;

-- The rows of a month, as SQL. A partition without a start has everything before its end.
create or replace function letter_partition_bound(parent text, day date) returns text language sql immutable as $$
  select case when day is null then 'minvalue'
    when parent = 'search_term' then quote_literal(least_search_term(day))
    else quote_literal(least_letter_key(day)) end
$$;

-- Creates the partitions up to that many months after that of the day. Returns how many. If another process does the
-- same, or the lock is not free within a second, it is tried again later: rows without a partition of their own go to the
-- default partition, and move when theirs is created.
create or replace function create_letter_partitions(today date, months_ahead integer) returns integer
language plpgsql set lock_timeout = '1s' as $$
declare
  created integer := 0;
  table_name text;
  last_end date;
  month date;
begin
  if not pg_try_advisory_xact_lock(1146048338) then return 0; end if;
  foreach table_name in array array['print_job_event', 'search_term'] loop
    select max(ends_on) into last_end from letter_partition where parent = table_name;
    for month in
      select generate_series(last_end::timestamp,
        date_trunc('month', today::timestamp) + months_ahead * interval '1 month', interval '1 month')
    loop
      perform create_letter_partition(table_name, month);
      created := created + 1;
    end loop;
  end loop;
  return created;
exception when lock_not_available or deadlock_detected then
  return 0;
end
$$;

create or replace function create_letter_partition(parent text, starts_on date) returns void language plpgsql as $$
declare
  partition_name text := parent || to_char(starts_on, '_YYYY_MM');
  default_name text := parent || '_default';
  column_name text := case parent when 'search_term' then 'term' else 'print_job_key' end;
  next_month date := starts_on + interval '1 month';
  least_value text := letter_partition_bound(parent, starts_on);
  end_value text := letter_partition_bound(parent, next_month);
begin
  execute format('create table %I (like %I including defaults including storage)', partition_name, parent);
  execute format('alter table %I set (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05)',
    partition_name);
  -- no row of this month may come to the default partition from now on
  execute format('lock table %I in access exclusive mode', default_name);
  execute format('with moved as (delete from %I where %I >= %s and %I < %s returning *) insert into %I select * from moved',
    default_name, column_name, least_value, column_name, end_value, partition_name);
  execute format('alter table %I attach partition %I for values from (%s) to (%s)',
    parent, partition_name, least_value, end_value);
  insert into letter_partition (parent, name, starts_on, ends_on)
  values (create_letter_partition.parent, partition_name, create_letter_partition.starts_on, next_month);
end
$$;

-- Drops the oldest month that ended before ended_before and that no print job is left of, and returns true. Of a month
-- that ended before moved_before, up to letters_max print jobs may be left: their events move to the default partition, and
-- their terms are written again, because finding them would read the whole partition under the lock. Returns false if
-- there is no such month, another process does the same, or a lock is not free within a second.
create or replace function drop_letter_partitions(ended_before date, moved_before date, letters_max integer) returns boolean
language plpgsql set lock_timeout = '1s' as $$
declare
  month record;
  part letter_partition;
  letters uuid[];
  rewritten integer;
begin
  if not pg_try_advisory_xact_lock(1146048338) then return false; end if;
  for month in
    select starts_on, ends_on, case when ends_on < moved_before then letters_max else 0 end as letters_max
    from letter_partition where parent = 'print_job_event' and ends_on < ended_before order by ends_on
  loop
    letters := letters_between(month.starts_on, month.ends_on, month.letters_max + 1);
    continue when cardinality(letters) > month.letters_max;
    -- in the order in which services lock them
    lock table print_job_event, search_term in access exclusive mode;
    -- a statement that was in progress may have added one
    letters := letters_between(month.starts_on, month.ends_on, month.letters_max + 1);
    continue when cardinality(letters) > month.letters_max;
    -- waits for no print job: whoever has locked one may wait for the tables
    with free as materialized (
      select key from print_job where key = any (letters) order by key for no key update skip locked
    ), changed as (
      update print_job set search_terms = null from free where print_job.key = free.key returning 1
    )
    select count(*) into rewritten from changed;
    if rewritten < cardinality(letters) then raise lock_not_available; end if;
    for part in select * from letter_partition where ends_on = month.ends_on loop
      execute format('alter table %I detach partition %I', part.parent, part.name);
      if part.parent = 'print_job_event' then
        execute format('insert into print_job_event_default select * from %I where print_job_key = any ($1)', part.name)
          using letters;
      end if;
      execute format('drop table %I', part.name);
      delete from letter_partition where name = part.name;
    end loop;
    return true;
  end loop;
  return false;
exception when lock_not_available or deadlock_detected then
  return false;
end
$$;

create or replace function letters_between(starts_on date, ends_on date, letters_max integer) returns uuid[]
language sql stable as $$
  select coalesce(array_agg(key), '{}') from (
    select key from print_job
    where key >= coalesce(least_letter_key(starts_on), '00000000-0000-0000-0000-000000000000') and key < least_letter_key(ends_on)
    order by key limit letters_max) job
$$;

-- The table that is there has all letters up to a day that is a month ahead or more. It is checked for that while it is
-- read and written, and then attached without being read.
do $$
declare
  ends_on date := date_trunc('month', now() at time zone 'UTC' + interval '2 months');
begin
  if exists (select from pg_class where oid = 'print_job_event'::regclass and relkind = 'r')
    and not exists (select from pg_constraint where conrelid = 'print_job_event'::regclass and conname like 'before\_%') then
    execute format('alter table print_job_event add constraint %I check (print_job_key < %s) not valid',
      'before_' || ends_on, letter_partition_bound('print_job_event', ends_on));
    execute format('alter table search_term add constraint %I check (term < %s) not valid',
      'before_' || ends_on, letter_partition_bound('search_term', ends_on));
  end if;
end
$$;

-- commit
do $$
declare
  check_of record;
begin
  for check_of in
    select conrelid::regclass as name, conname from pg_constraint
    where conrelid in ('print_job_event'::regclass, 'search_term'::regclass) and conname like 'before\_%'
  loop
    execute format('alter table %s validate constraint %I', check_of.name, check_of.conname);
  end loop;
end
$$;

-- commit
-- Puts a partitioned table in the place of the table. It gets the indexes that the table has, so none is built.
create function divide_letters(parent text, column_name text, variadic indexes text[]) returns void language plpgsql as $$
declare
  first_name text := parent || '_first';
  default_name text := parent || '_default';
  check_name text;
  index_name text;
  statement text;
  granted record;
  ends_on date;
begin
  select conname into strict check_name from pg_constraint
  where conrelid = parent::regclass and conname like 'before\_%';
  ends_on := substring(check_name from 8)::date;
  execute format('alter table %I rename to %I', parent, first_name);
  for index_name in select indexrelid::regclass from pg_index where indrelid = first_name::regclass loop
    execute format('alter index %I rename to %I', index_name, replace(index_name, parent, first_name));
  end loop;
  execute format('create table %I (like %I including defaults including storage) partition by range (%I)',
    parent, first_name, column_name);
  foreach statement in array indexes loop execute statement; end loop;
  for granted in
    select grantee::regrole::text as role, privilege_type as privilege
    from pg_class, aclexplode(relacl) where oid = first_name::regclass and grantee <> 0 and grantee <> relowner
  loop
    execute format('grant %s on %I to %s', granted.privilege, parent, granted.role);
  end loop;
  execute format('alter table %I attach partition %I for values from (minvalue) to (%s)',
    parent, first_name, letter_partition_bound(parent, ends_on));
  execute format('alter table %I drop constraint %I', first_name, check_name);
  execute format('create table %I partition of %I default', default_name, parent);
  insert into letter_partition (parent, name, ends_on) values (divide_letters.parent, first_name, ends_on);
end
$$;

drop trigger print_job_events_counted on print_job_event;
select divide_letters('print_job_event', 'print_job_key',
  'alter table print_job_event add primary key (print_job_key, sequence)',
  'create index print_job_event_at on print_job_event using brin (at timestamptz_minmax_multi_ops)');
create trigger print_job_events_counted after insert on print_job_event
  referencing new table as added for each statement execute function count_print_job_events();

select divide_letters('search_term', 'term', 'alter table search_term add primary key (term, print_job_key)');
-- where the terms of single letters are found, which is nowhere else
create index search_term_of_letter on search_term_default (print_job_key);

drop function divide_letters(text, text, text[]);

-- It reads the table by its new name. Days whose letters are gone differ.
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

select create_letter_partitions((now() at time zone 'UTC')::date, 3);

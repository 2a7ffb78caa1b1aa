-- Events of print jobs and search terms are divided into partitions by the month of their letters, so that those of
-- letters that are gone are dropped, not deleted (docs/decisions/0024-letters-leave-by-the-month.md).

-- The partitions of both tables.
-- Written and read by the functions below. A row is deleted when its partition is dropped.
create table letter_partition (
  parent text not null check (parent in ('print_job_event', 'search_term')),
  name text primary key,
  -- null: it has everything before its end
  starts_on date,
  ends_on date not null,
  unique (parent, ends_on)
);

-- Milliseconds since 1970. They begin with a period of search terms, so that both tables divide the letters alike.
create function letter_partition_ms(day date) returns bigint language sql immutable strict as $$
  select (extract(epoch from day) * 1000)::bigint >> 27 << 27
$$;
-- The least key of a print job, and the least search term, of that day.
create function least_letter_key(day date) returns uuid language sql immutable strict as $$
  select rpad(lpad(to_hex(letter_partition_ms(day)), 12, '0'), 32, '0')::uuid
$$;
create function least_search_term(day date) returns bigint language sql immutable strict as $$
  select ((letter_partition_ms(day) >> 27) - (1 << 20)) << 43
$$;

-- The rows of a month, as SQL. A partition without a start has everything before its end.
create function letter_partition_bound(parent text, day date) returns text language sql immutable as $$
  select case when day is null then 'minvalue'
    when parent = 'search_term' then quote_literal(least_search_term(day))
    else quote_literal(least_letter_key(day)) end
$$;

-- Creates the partitions up to that many months after that of the day. Returns how many. If another process does the
-- same, or the lock is not free within a second, it is tried again later: rows without a partition of their own go to
-- the default partition, and move when theirs is created.
create function create_letter_partitions(today date, months_ahead integer) returns integer
language plpgsql security definer set lock_timeout = '1s' set search_path = public, pg_temp as $$
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
revoke execute on function create_letter_partitions(date, integer) from public;

create function create_letter_partition(parent text, starts_on date) returns void language plpgsql as $$
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

-- Drops the oldest month that ended before ended_before and that no print job is left of, and returns true. Of a
-- month that ended before moved_before, up to letters_max print jobs may be left: their events move to the default
-- partition, and their terms are written again, because finding them would read the whole partition under the lock.
-- Returns false if there is no such month, another process does the same, or a lock is not free within a second.
create function drop_letter_partitions(ended_before date, moved_before date, letters_max integer) returns boolean
language plpgsql security definer set lock_timeout = '1s' set search_path = public, pg_temp as $$
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
    -- waits for no print job: the session that has locked one may wait for the tables
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
revoke execute on function drop_letter_partitions(date, date, integer) from public;

create function letters_between(starts_on date, ends_on date, letters_max integer) returns uuid[]
language sql stable as $$
  select coalesce(array_agg(key), '{}') from (
    select key from print_job
    where key >= coalesce(least_letter_key(starts_on), '00000000-0000-0000-0000-000000000000') and key < least_letter_key(ends_on)
    order by key limit letters_max) job
$$;

-- The first partition has all letters up to a day that is a month ahead or more. Letters without a partition of their
-- month go to the default partition.
do $$
declare
  ends_on date := date_trunc('month', now() at time zone 'UTC' + interval '2 months');
  table_name text;
begin
  foreach table_name in array array['print_job_event', 'search_term'] loop
    execute format('create table %I partition of %I for values from (minvalue) to (%s)
      with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05)',
      table_name || '_first', table_name, letter_partition_bound(table_name, ends_on));
    execute format('create table %I partition of %I default', table_name || '_default', table_name);
    insert into letter_partition (parent, name, ends_on) values (table_name, table_name || '_first', ends_on);
  end loop;
end
$$;
-- The terms of single letters are deleted there, and nowhere else.
create index search_term_of_letter on search_term_default (print_job_key);
select create_letter_partitions((now() at time zone 'UTC')::date, 3);

-- Deletes the events and search terms of print jobs from the default partitions, where no partition is dropped.
create function delete_from_default_partitions(keys uuid[]) returns void
  language sql security definer set search_path = public, pg_temp as $$
  delete from print_job_event_default where print_job_key = any (keys)
    and not exists (select from print_job where key = print_job_key and purged_at is null);
  delete from search_term_default where print_job_key = any (keys)
    and not exists (select from print_job where key = print_job_key and purged_at is null);
$$;
revoke execute on function delete_from_default_partitions(uuid[]) from public;

-- Each service has its own role, and packages/store/src/grants.ts lists the privileges of each. The functions below run
-- with the rights of their owner, so that no service may create, alter or drop a table, or delete from an audit.

-- A session of the console ends when the password changes. Checking that requires no password hash.
create or replace view consumer_password as
  select id as consumer_id, sha256(convert_to(password_hash, 'UTF8')) as fingerprint from consumer;

alter function purge_enquiry_audit(timestamptz, integer) security definer
  set search_path = public, pg_temp;
revoke execute on function purge_enquiry_audit(timestamptz, integer) from public;

create or replace function tables_of_record_set(kind text) returns text[] language sql immutable as $$
  select case kind
    when 'vehicle' then array['vehicle_record']
    when 'driver' then array['driver_record', 'driver_search']
    when 'uat-driver' then array['driver_record', 'driver_search']
  end
$$;

-- Creates the tables of a set that is being loaded, unless they exist, and lets the caller fill them. Does nothing for
-- any other set. Only numbers are unique and indexed, for the lookup during loading. The constraint states what the
-- partition may contain, so that attaching it reads none of its rows.
create or replace function prepare_record_set(id_of_set bigint) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  kind_of_set text := (select kind from record_set where id = id_of_set and state in ('LOADING', 'PUBLISHING'));
  parent text;
  child text;
begin
  if kind_of_set is null then
    return;
  end if;
  foreach parent in array tables_of_record_set(kind_of_set) loop
    child := parent || '_s' || id_of_set;
    if to_regclass(quote_ident(child)) is null then
      execute format(
        'create table %I (like %I including defaults including generated including constraints including storage,
           constraint %I check (set_id = %s))', child, parent, child || '_set', id_of_set);
      if parent <> 'driver_search' then
        execute format('alter table %I add primary key (set_id, %I)', child,
          case parent when 'vehicle_record' then 'registration_number' else 'driving_licence_number' end);
      end if;
    end if;
    if not has_table_privilege(session_user, child, 'insert') then
      execute format('grant select, insert on %I to %I', child, session_user);
      -- before PostgreSQL 17 only owners may vacuum a table: there it waits for autovacuum
      if current_setting('server_version_num')::integer >= 170000 then
        execute format('grant maintain on %I to %I', child, session_user);
      end if;
    end if;
  end loop;
end $$;
revoke execute on function prepare_record_set(bigint) from public;

-- Attaches one table of a set that is being published. Attaching builds the missing indexes.
create or replace function attach_record_table(parent text, id_of_set bigint) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from record_set where id = id_of_set and state = 'PUBLISHING'
      and parent = any (tables_of_record_set(kind))) then
    raise exception 'record set % is not publishing a table %', id_of_set, parent;
  end if;
  execute format('alter table %I attach partition %I for values in (%s)', parent, parent || '_s' || id_of_set, id_of_set);
end $$;
revoke execute on function attach_record_table(text, bigint) from public;

-- Drops the tables of a set that no enquiry uses any more.
create or replace function drop_record_set(id_of_set bigint) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tables text[] := (
    select tables_of_record_set(kind) from record_set where id = id_of_set and state in ('RETIRED', 'ABANDONED'));
begin
  if tables is null then
    raise exception 'record set % is neither retired nor abandoned', id_of_set;
  end if;
  for place in reverse cardinality(tables)..1 loop
    execute format('drop table if exists %I', tables[place] || '_s' || id_of_set);
  end loop;
end $$;
revoke execute on function drop_record_set(bigint) from public;

-- Partitions of letters are created and dropped by the pipeline.
alter function create_letter_partitions(date, integer) security definer set search_path = public, pg_temp;
revoke execute on function create_letter_partitions(date, integer) from public;
alter function drop_letter_partitions(date, date, integer) security definer set search_path = public, pg_temp;
revoke execute on function drop_letter_partitions(date, date, integer) from public;

-- Deletes the events and search terms of print jobs from the default partitions, where no partition is dropped.
create or replace function delete_from_default_partitions(keys uuid[]) returns void
  language sql security definer set search_path = public, pg_temp as $$
  delete from print_job_event_default where print_job_key = any (keys)
    and not exists (select from print_job where key = print_job_key and purged_at is null);
  delete from search_term_default where print_job_key = any (keys)
    and not exists (select from print_job where key = print_job_key and purged_at is null);
$$;
revoke execute on function delete_from_default_partitions(uuid[]) from public;
